// @promise order once
import test from 'ava'
import { heartbeatThrottle } from '../../../bin/polling.ts'
import { writerPatienceMs } from '../../../src/chat/lost-answers.ts'
import { evenIfStoodStill, mostStillMs, unlessStoodStill, watchStandstill } from '../../../src/safe-fetch/standstill.ts'
import { holderPatienceMs } from '../../../src/vault/refresh/refresh.ts'
import { toolOptions } from '../../../workflows/options.ts'
import { briefStandstill } from '../../helpers/standstill.ts'

/** Of a text such as `5s`. */
const msOf = (seconds: unknown): number => 1000 * Number.parseInt(String(seconds), 10)
const now = (): number => performance.now()

/** How soon somebody else may go on with the work of a process that stands still, in milliseconds. */
const patience: [whose: string, patienceMs: number][] = [
  ['other processes with the writer of an answer', writerPatienceMs],
  ['Temporal with a worker', msOf(toolOptions.heartbeatTimeout) - msOf(heartbeatThrottle)],
  ['other processes with one that refreshes tokens', holderPatienceMs],
]

for (const [whose, patienceMs] of patience)
  test(`a standstill is noticed that is shorter than the patience of ${whose}`, (t) =>
    t.true(mostStillMs < patienceMs, `${mostStillMs} and ${patienceMs} ms`))

test('work that began before its process stood still is not sent, what began later is, and so is what is harmless', async (t) => {
  const { maySend, standStill } = briefStandstill(t)
  await unlessStoodStill(now(), async () => {
    standStill()
    t.false(maySend())
    t.true(await evenIfStoodStill(async () => maySend()))
    t.true(await unlessStoodStill(now(), async () => maySend()))
  })
  standStill()
  t.true(maySend(), 'requests that nobody else makes')
})

test('the sleep of a machine counts, and a clock that is set back hides nothing', async (t) => {
  const clocks = { monotonic: 0, wall: 0 }
  const watch = watchStandstill(mostStillMs, [() => clocks.monotonic, () => clocks.wall])
  t.teardown(watch.close)
  const isSentAfter = (monotonic: number, wall: number) =>
    unlessStoodStill(now(), async () => {
      const maySend = watch.fence()
      clocks.monotonic += monotonic
      clocks.wall += wall
      return maySend()
    })
  t.true(await isSentAfter(2000, 2000))
  t.false(await isSentAfter(10, 60_000), 'its machine slept')
  t.true(await isSentAfter(10, -3_600_000), 'its clock was set back')
  t.false(await isSentAfter(3000, 3000), 'it stood still afterwards')
  t.false(await isSentAfter(3000, -3_600_000), 'its clock was set back while it stood still')
  t.true(await isSentAfter(10, 10))
})
