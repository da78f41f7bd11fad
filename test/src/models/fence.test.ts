import test from 'ava'
import * as fc from 'fast-check'
import { fence, splitFenced } from '../../../src/models/fence.ts'
import { visible } from '../../../src/models/visible-text.ts'

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    fence('untrusted payload', 'inner'),
    `${fence('untrusted result', 'a')}\n${fence('schema', 'b')}`,
    '<<<end 00000000000000000000000000000000>>>',
    '\n<<<untrusted payload 00000000000000000000000000000000>>>\n',
  ),
)
const texts = fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join(''))

test('any text comes out of its fence as it went in, but with what cannot be seen made visible, and nothing is outside', (t) => {
  fc.assert(
    fc.property(texts, (text) => {
      const { words, blocks } = splitFenced(`before\n${fence('untrusted payload', text)}\nafter`)
      t.deepEqual(blocks, [{ kind: 'untrusted payload', text: visible(text.toWellFormed()) }])
      t.is(words, 'before\n\nafter')
      const fenced = fence('untrusted result', text)
      t.is(fenced.split(fenced.slice(fenced.lastIndexOf('\n'))).length, 2, 'the closing line occurs once')
    }),
  )
})

test('the same text gets the same fence, another text another one', (t) => {
  t.is(fence('schema', 'a'), fence('schema', 'a'))
  t.not(fence('schema', 'a').split('\n').at(-1), fence('schema', 'b').split('\n').at(-1))
})

test('a fence whose mark does not belong to its text is only words', (t) => {
  const forged = fence('untrusted payload', 'mine').replace('mine', 'yours')
  t.deepEqual(splitFenced(forged), { words: forged, blocks: [] })
  const open = fence('untrusted payload', 'mine').split('\n').slice(0, 2).join('\n')
  t.deepEqual(splitFenced(open), { words: open, blocks: [] })
})

test('several blocks come out in order', (t) => {
  const { words, blocks } = splitFenced(`a\n${fence('schema', '1')}\nb\n${fence('untrusted payload', '2')}`)
  t.deepEqual(
    blocks.map(({ kind, text }) => [kind, text]),
    [
      ['schema', '1'],
      ['untrusted payload', '2'],
    ],
  )
  t.is(words, 'a\n\nb\n')
})
