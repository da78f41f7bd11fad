import test from 'ava'
import { measured } from '../crash/record.ts'
import { busiest, lead, minutesOf, rush } from '../crash/shared-limit.ts'

/*
 * 3 worker processes x 40 calls to one host at the default limit, in real time. It takes twelve minutes, so that it is
 * not one of the tests that always run: npm run long:outgoing-limit
 */
test('120 calls of two agents over three worker processes: never more than ten in any 60 seconds, evenly shared', async (t) => {
  t.timeout(20 * 60_000)
  const callsPerAgent = 60
  const { arrivals, runs, keys, waits, callers } = await rush(t, {
    limit: 10,
    callsPerAgent,
    workers: 3,
    patience: 18 * 60,
  })
  const minutes = minutesOf(arrivals)
  measured(t, `each minute: ${minutes.join(' | ')}`)
  measured(t, `most in any 60 s: ${busiest(arrivals)}; ahead by ${lead(arrivals, callsPerAgent)}`)
  measured(t, `waits: ${waits.map(({ started }) => started.length).join(' and ')}; ${callers.length} processes`)
  t.deepEqual(
    runs.map(({ status }) => status),
    ['completed', 'completed'],
  )
  t.is(callers.length, 3)
  t.is(arrivals.length, 120)
  t.is(new Set(keys).size, 120)
  t.is(busiest(arrivals), 10)
  t.true(lead(arrivals, callsPerAgent) <= 10)
  for (const { started, ended } of waits) {
    t.true(started.length >= 5)
    t.is(started.length, ended.length)
  }
})
