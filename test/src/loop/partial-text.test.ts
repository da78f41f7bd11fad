import test from 'ava'
import { createPartialText, maxShown } from '../../../src/loop/partial-text.ts'

const spoken = { runId: 'a run', step: 2, attempt: 3 }

test('a piece stays as it is until it is confirmed, whatever is said meanwhile', (t) => {
  const speech = createPartialText(spoken)
  t.is(speech.next(), undefined)
  t.notThrows(() => speech.confirm(), 'nothing was written')
  t.false(speech.wasShown())
  t.false(speech.hasMore())
  speech.add('one')
  t.true(speech.hasMore())
  const piece = speech.next()
  t.deepEqual(piece, { ...spoken, position: 0, words: 'one' })
  speech.add(' two')
  t.is(speech.next(), piece)
  t.true(speech.wasShown(), 'it may have been written')
  speech.confirm()
  t.true(speech.wasShown())
  t.deepEqual(speech.next(), { ...spoken, position: 3, words: ' two' })
  speech.confirm()
  t.false(speech.hasMore())
})

test('pieces have whole characters, and what a database cannot hold is written as on record', (t) => {
  const speech = createPartialText(spoken)
  speech.add('a\0\uD83D')
  t.is(speech.next()?.words, 'a\uFFFD')
  speech.confirm()
  t.is(speech.next(), undefined, 'the other half may come')
  speech.add('\uDE00')
  t.is(speech.next()?.words, '😀')
})

test('no more is kept than is shown', (t) => {
  const speech = createPartialText(spoken)
  for (let said = 0; said < 20; said += 1) speech.add('x'.repeat(10_000))
  let shown = 0
  for (let piece = speech.next(); piece; piece = speech.next()) {
    t.is(piece.position, shown)
    shown += piece.words.length
    speech.confirm()
  }
  t.is(shown, maxShown)
})
