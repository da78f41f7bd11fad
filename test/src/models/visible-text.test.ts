import test from 'ava'
import * as fc from 'fast-check'
import { visible } from '../../../src/models/visible-text.ts'

test('what nobody sees is written as an escape of JSON', (t) => {
  t.is(visible('a\u200Bb\u2060c\uFEFFd\u00ADe'), String.raw`a\u200bb\u2060c\ufeffd\u00ade`)
  t.is(visible('abc\u202Etxt.exe\u2066'), String.raw`abc\u202etxt.exe\u2066`)
  t.is(visible('a\u001B[31mb\u0000\u007F\u0085\u2028'), String.raw`a\u001b[31mb\u0000\u007f\u0085\u2028`)
  t.is(visible('\u{E0041}\u{E007F}'), String.raw`\udb40\udc41\udb40\udc7f`)
  t.is(visible('\u3164\u115F\uFFA0'), String.raw`\u3164\u115f\uffa0`)
})

test('words, line breaks, and what scripts and emojis need stay as they are', (t) => {
  const persian = 'می\u200Cخواهم'
  for (const text of [
    'plain\t\r\n text',
    'Grüße, 日本語, עברית',
    persian,
    '👩\u200D👩\u200D👧',
    '❤\uFE0F',
    '❤\uFE0F\u200D🔥',
  ]) {
    t.is(visible(text), text)
  }
})

test('bits that are written in joiners and selectors are visible', (t) => {
  t.is(visible('a\u200C\u200D\u200Cb'), String.raw`a\u200c\u200d\u200cb`)
  t.is(visible('é\u200C\u200B'), String.raw`é\u200c\u200b`)
  t.is(visible('😀\uFE00\uFE01\u{E0101}'), String.raw`😀\ufe00\ufe01\udb40\udd01`)
})

test('of many such signs in a row all are visible, whatever stands before and after them', (t) => {
  for (const sign of ['\u200B', '\u200D', '\uFE0F', '\u0000']) {
    const escape = String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    t.is(visible(`a${sign.repeat(1000)}b`), `a${escape.repeat(1000)}b`)
  }
  t.is(visible('é\uFE0F\u200D\u200B\n'), 'é\uFE0F\\u200d\\u200b\n')
  t.is(visible('\t\u200B\r\n\u2028\n'), '\t\\u200b\r\n\\u2028\n')
})

test('JSON means the same, and the same text is always shown the same', (t) => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
      t.deepEqual(JSON.parse(visible(json)), JSON.parse(json))
      const quoted = JSON.stringify(text)
      t.is(JSON.parse(visible(quoted)), text)
      t.is(visible(visible(text)), visible(text))
    }),
  )
})
