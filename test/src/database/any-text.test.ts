// @promise record
import test from 'ava'
import * as fc from 'fast-check'
import { fromColumn, mapTexts, toColumn } from '../../../src/database/any-text.ts'
import { onServer, createEmptyDatabase } from '../../helpers/database.ts'

/** Any text of JavaScript: U+0000, halves of surrogate pairs and the mark itself more often than chance has them. */
const codeUnit = fc.oneof(fc.constantFrom(0, 1, 0xd800, 0xdc00), fc.integer({ min: 0, max: 0xffff }))
const anyText = fc.array(codeUnit, { maxLength: 20 }).map((units) => String.fromCharCode(...units))

test('any text comes back from Postgres as it was', async (t) => {
  const { url } = await createEmptyDatabase(t)
  const texts = ['', '\0', '\u0001', '\u0001"a"', '\ud800', 'a\udc00b', '😀', ...fc.sample(anyText, 1000)]
  const { rows } = await onServer(url, (client) =>
    client.query<{ text: string }>(
      'select text from unnest($1::text[]) with ordinality as texts (text) order by ordinality',
      [texts.map(toColumn)],
    ),
  )
  t.deepEqual(
    rows.map(({ text }) => fromColumn(text)),
    texts,
  )
})

test('a text that Postgres takes is stored as it is', (t) => {
  for (const text of ['', '{"a": "b"}', 'two\nlines\t\u0002', '😀', 'a\u0001']) t.is(toColumn(text), text)
})

test('only the fields that hold any text are converted, and a missing one stays so', (t) => {
  const row = { answer: '\0', note: '\0', result: null, step: 1 }
  t.deepEqual(mapTexts(row, ['answer', 'result', 'step', 'other'], toColumn), { ...row, answer: '\u0001"\\u0000"' })
})
