import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { createReachability } from '../../../src/temporal/reachability.ts'

/** An answer is kept for two seconds. */
const asLongAsAnswersAreKept = () => delay(2100)

test('an outage began when it was first noticed, unless nobody has asked for a long time since', async (t) => {
  let now = Date.parse('2026-11-21T12:00:00Z')
  const clock = { now: () => new Date(now) }
  const reachability = createReachability({ temporal: { isReachable: () => Promise.resolve(false) }, clock })
  const began = clock.now()
  t.deepEqual(await reachability.look(), { reachable: false, since: began })
  await asLongAsAnswersAreKept()
  now += 10_000
  t.deepEqual(await reachability.look(), { reachable: false, since: began })
  await asLongAsAnswersAreKept()
  now += 600_000
  t.deepEqual(await reachability.look(), { reachable: false, since: clock.now() }, 'it may have been there meanwhile')
})

test('who cannot wait gets the last answer while Temporal takes its time', async (t) => {
  const answers = [Promise.resolve(true), new Promise<boolean>(() => undefined)]
  const clock = { now: () => new Date() }
  const reachability = createReachability({
    temporal: { isReachable: () => answers.shift() ?? Promise.reject(new Error('asked too often')) },
    clock,
  })
  t.true((await reachability.glance()).reachable)
  await asLongAsAnswersAreKept()
  t.true((await reachability.glance()).reachable)
  t.true((await reachability.glance()).reachable)
})
