import test from 'ava'
import { atBeginning, hear, nothingHeard, wordsFor } from '../../../../src/runs/live/heard.ts'

const first = { step: 1, attempt: 1 }

/** What was heard of two rows after the event 3. */
function twoRows() {
  const heard = nothingHeard()
  hear(heard, { ...first, positions: [0, 3], words: ['one', ' two'] }, 3)
  return heard
}

test('watchers at one place get one page, and those behind get what they lack', (t) => {
  const heard = twoRows()
  const early = wordsFor(heard, atBeginning, 3)
  t.deepEqual(early?.page, [{ kind: 'words', data: { ...first, offset: 0, text: 'one two' } }])
  t.is(wordsFor(heard, atBeginning, 3)?.page, early?.page)
  const place = { ...first, offset: 7 }
  t.deepEqual(early?.place, place)
  t.is(wordsFor(heard, place, 3), undefined)
  t.true(hear(heard, { ...first, positions: [7], words: [' three'] }, 3))
  t.like(wordsFor(heard, place, 3)?.page, [{ data: { offset: 7, text: ' three' } }])
  t.like(wordsFor(heard, atBeginning, 3)?.page, [{ data: { offset: 0, text: 'one two three' } }])
  t.false(hear(heard, { ...first, positions: [], words: [] }, 3))
})

test('words are given only to whoever has the last event before them, and none of it that follows', (t) => {
  const heard = twoRows()
  t.is(wordsFor(heard, atBeginning, 2), undefined)
  t.is(wordsFor(heard, atBeginning, 4), undefined)
})

test('what follows a gap is not heard', (t) => {
  const heard = nothingHeard()
  t.false(hear(heard, { ...first, positions: [5], words: ['later'] }, 3))
  t.is(wordsFor(heard, atBeginning, 3), undefined)
  hear(heard, { ...first, positions: [0, 9], words: ['one', 'three'] }, 3)
  t.like(wordsFor(heard, atBeginning, 3)?.page, [{ data: { text: 'one' } }])
})

test('another attempt begins anew, and nothing is heard between two', (t) => {
  const heard = twoRows()
  const place = { ...first, offset: 3 }
  t.false(hear(heard, { step: 1, attempt: 0, positions: [], words: [] }, 4))
  t.is(wordsFor(heard, place, 4), undefined)
  hear(heard, { step: 1, attempt: 2, positions: [0], words: ['again'] }, 5)
  t.like(wordsFor(heard, place, 5), {
    page: [{ data: { attempt: 2, offset: 0, text: 'again' } }],
    place: { offset: 5 },
  })
})

test('the first attempt of another step begins anew, too', (t) => {
  const heard = twoRows()
  t.true(hear(heard, { step: 2, attempt: 1, positions: [0], words: ['next'] }, 5))
  t.like(wordsFor(heard, { ...first, offset: 3 }, 5)?.page, [{ data: { step: 2, offset: 0, text: 'next' } }])
})

test('before anything is heard there are no words, and pages stay until there are more', (t) => {
  t.is(wordsFor(nothingHeard(), atBeginning, 0), undefined)
  const heard = twoRows()
  const page = wordsFor(heard, atBeginning, 3)?.page
  hear(heard, { ...first, positions: [], words: [] }, 3)
  t.is(wordsFor(heard, atBeginning, 3)?.page, page)
})
