// @promise neighbours
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import {
  acceptedIn,
  avoidable,
  medianOf,
  outAfterMs,
  runsOf,
  tableOf,
  type Faulty,
  type Phase,
} from '../crash/neighbours/report.ts'
import { openNeighbours } from '../crash/neighbours/stage.ts'
import { measured } from '../crash/record.ts'
import { allEnded, assertRecord } from '../crash/rolling/record.ts'
import { eventually } from '../helpers/eventually.ts'

/** When a fault begins, in milliseconds after the start of its phase: some requests and runs are then under way. */
const beginsAfterMs = 2000

/** A health check that fails takes up to 4 s with its pause, two take a process out, and the machine may be busy. */
const mostMsUntilOut = 15_000

/** How long bytes travel between the platform and Temporal, each way. */
const travelMs = 1000

/** Something happens to a part of the platform while its users go on. */
interface Course {
  seconds: number
  begin?: () => unknown
  faulty?: Faulty
}

/*
 * What a fault of some processes costs everybody else, beside the same users without it, in about four minutes:
 * npm run long -- neighbours
 */
test('a fault of some processes loses, doubles and reorders nothing, and fails no request that a health check can spare', async (t) => {
  t.timeout(15 * 60_000)
  const stage = await openNeighbours(t)
  const { door, network, temporal, workers, faulty } = stage
  const half = workers.slice(0, 2)
  const send = (signal: NodeJS.Signals) => () => half.forEach(({ pid }) => process.kill(pid, signal))
  const during = (name: string, course: Course) => pass(t, stage, name, course)

  const first = await during('warming up', { seconds: 10 })
  const calm = await during('calm', { seconds: 30 })
  const frozen = await during('half of the workers frozen', { seconds: 30, begin: send('SIGSTOP') })
  const thawed = await during('these workers thawed', { seconds: 15, begin: send('SIGCONT') })
  const refused = await during('one of two APIs refused by Postgres', { seconds: 20, begin: door.stop, faulty })
  await door.start()
  await isBack(t, faulty)
  const cutOff = await during('one of two APIs cut off from Postgres', {
    seconds: 30,
    begin: () => network.hold(),
    faulty,
  })
  await network.open()
  await isBack(t, faulty)
  const slow = await during('Temporal 2 s slow', { seconds: 30, begin: () => temporal.delay(travelMs) })

  for (const line of tableOf([calm, frozen, thawed, refused, cutOff, slow])) measured(t, line)
  for (const phase of [refused, cutOff]) t.true((outAfterMs(phase) ?? Infinity) <= mostMsUntilOut, phase.name)
  t.true(medianOf(slow) >= 2 * travelMs, 'a run needs a request to Temporal and its answer')
  const phases = [first, calm, frozen, thawed, refused, cutOff, slow]
  t.deepEqual(avoidable(phases), [])
  await assertRecord(t, stage.databaseUrl, acceptedIn(phases))
})

type Stage = Awaited<ReturnType<typeof openNeighbours>>

/** The users live for so long, and the fault lasts until all runs of theirs have ended. */
async function pass(
  t: ExecutionContext,
  { users, databaseUrl }: Stage,
  name: string,
  { seconds, begin, faulty }: Course,
): Promise<Phase> {
  const began = Date.now()
  const living = users.live(AbortSignal.timeout(seconds * 1000))
  await delay(beginsAfterMs)
  const faultAt = Date.now()
  await begin?.()
  const seen = await living
  for (const { sentAt, what } of seen.failures) measured(t, `${name}, after ${sentAt - began} ms: ${what}`)
  const runs = runsOf(seen, await allEnded(databaseUrl))
  return { name, began, faultAt, seconds, seen, runs, faulty }
}

async function isBack(t: ExecutionContext, { url, turns }: Faulty): Promise<void> {
  const since = Date.now()
  const last = () => turns.findLast((turn) => turn.url === url)
  await eventually(30, 'the process is back in the balancer', () => last()?.isReady || undefined)
  measured(t, `${Date.now() - since} ms until the process was back in the balancer`)
}
