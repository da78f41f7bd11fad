import test from 'ava'
import { databaseClock } from '../../src/clock.ts'
import { firstIdAt, isId, newId } from '../../src/ids.ts'

test('identifiers sort in the order in which a process made them, also within a millisecond', (t) => {
  const ids = Array.from({ length: 20_000 }, newId)
  t.true(ids.every(isId))
  t.is(new Set(ids).size, ids.length)
  t.deepEqual(ids, ids.toSorted())
})

test("an identifier tells the database's time", (t) => {
  const before = firstIdAt(databaseClock.now())
  const id = newId()
  t.true(before <= id && id < firstIdAt(new Date(databaseClock.now().getTime() + 2)))
})
