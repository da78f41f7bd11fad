import test from 'ava'
import { startPosition, addWords, emptyAnswer, wordsAfter } from '../../../../src/runs/live/partial-answer.ts'

const first = { step: 1, attempt: 1 }

/** The answer after event 3, from two rows. */
function twoRows() {
  const answer = emptyAnswer()
  addWords(answer, { ...first, positions: [0, 3], words: ['one', ' two'] }, 3)
  return answer
}

test('watchers at one position share a page, and a watcher behind gets what it lacks', (t) => {
  const answer = twoRows()
  const early = wordsAfter(answer, startPosition, 3)
  t.deepEqual(early?.page, [{ kind: 'words', data: { ...first, offset: 0, text: 'one two' } }])
  t.is(wordsAfter(answer, startPosition, 3)?.page, early?.page)
  const position = { ...first, offset: 7 }
  t.deepEqual(early?.position, position)
  t.is(wordsAfter(answer, position, 3), undefined)
  t.true(addWords(answer, { ...first, positions: [7], words: [' three'] }, 3))
  t.like(wordsAfter(answer, position, 3)?.page, [{ data: { offset: 7, text: ' three' } }])
  t.like(wordsAfter(answer, startPosition, 3)?.page, [{ data: { offset: 0, text: 'one two three' } }])
  t.false(addWords(answer, { ...first, positions: [], words: [] }, 3))
})

test('a watcher gets words only at the event that they follow', (t) => {
  const answer = twoRows()
  t.is(wordsAfter(answer, startPosition, 2), undefined)
  t.is(wordsAfter(answer, startPosition, 4), undefined)
})

test('words after a gap are ignored', (t) => {
  const answer = emptyAnswer()
  t.false(addWords(answer, { ...first, positions: [5], words: ['later'] }, 3))
  t.is(wordsAfter(answer, startPosition, 3), undefined)
  addWords(answer, { ...first, positions: [0, 9], words: ['one', 'three'] }, 3)
  t.like(wordsAfter(answer, startPosition, 3)?.page, [{ data: { text: 'one' } }])
})

test('another attempt starts over, and there are no words between attempts', (t) => {
  const answer = twoRows()
  const position = { ...first, offset: 3 }
  t.false(addWords(answer, { step: 1, attempt: 0, positions: [], words: [] }, 4))
  t.is(wordsAfter(answer, position, 4), undefined)
  addWords(answer, { step: 1, attempt: 2, positions: [0], words: ['again'] }, 5)
  t.like(wordsAfter(answer, position, 5), {
    page: [{ data: { attempt: 2, offset: 0, text: 'again' } }],
    position: { offset: 5 },
  })
})

test('the first attempt of another step starts over', (t) => {
  const answer = twoRows()
  t.true(addWords(answer, { step: 2, attempt: 1, positions: [0], words: ['next'] }, 5))
  t.like(wordsAfter(answer, { ...first, offset: 3 }, 5)?.page, [{ data: { step: 2, offset: 0, text: 'next' } }])
})

test('an empty answer has no words, and pages stay until there are more', (t) => {
  t.is(wordsAfter(emptyAnswer(), startPosition, 0), undefined)
  const answer = twoRows()
  const page = wordsAfter(answer, startPosition, 3)?.page
  addWords(answer, { ...first, positions: [], words: [] }, 3)
  t.is(wordsAfter(answer, startPosition, 3)?.page, page)
})
