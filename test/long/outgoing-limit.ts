// @promise host-limit
import test from 'ava'
import { ended } from '../helpers/people.ts'
import { measured } from '../crash/record.ts'
import { busiest, lead, minutesOf, rush, waitsOf } from '../crash/shared-limit.ts'

/*
 * 3 worker processes x 40 calls to one host at the default limit, in real time. It takes twelve minutes, so that it is
 * not one of the tests that always run: npm run long -- outgoing-limit
 */
test('120 calls of two agents over three worker processes: never more than ten in any 60 seconds, evenly shared', async (t) => {
  t.timeout(20 * 60_000)
  const calls = 60
  const began = Date.now()
  const { someone, ids, arrivals, callers } = await rush(t, { limit: 10, calls: [calls, calls], workers: 3 })
  const runs = await Promise.all(ids.map((id) => ended(someone, id, 18 * 60)))
  const seen = arrivals()
  const processes = (await callers()).length
  const waits = await Promise.all(ids.map((id) => waitsOf(someone, id)))
  measured(t, `${Math.round((Date.now() - began) / 1000)} s; each minute: ${minutesOf(seen).join(' | ')}`)
  measured(t, `most in any 60 s: ${busiest(seen)}; one was ahead by ${lead(seen, calls)} at most`)
  measured(t, `waits: ${waits.map(({ started }) => started.length).join(' and ')}; ${processes} processes`)
  t.deepEqual(
    runs.map(({ status }) => status),
    ['completed', 'completed'],
  )
  t.is(processes, 3)
  t.is(seen.length, 2 * calls)
  t.is(new Set(seen.map(({ key }) => key)).size, 2 * calls)
  t.is(busiest(seen), 10)
  // The one that begins has the first minute for itself, and the five of a later minute may all come first.
  t.true(lead(seen, calls) <= 15)
  // In the first and in the last minute one of them may have no calls to make.
  for (const [first, second] of minutesOf(seen).slice(1, -1)) t.true(Math.abs(first - second) <= 1)
  for (const { started, ended: over } of waits) {
    t.true(started.length >= 5)
    t.is(started.length, over.length)
  }
})
