// @promise neighbours
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { allEnded, assertRecord } from '../crash/neighbours/record.ts'
import { avoidable, deliveredIn, linesOf, type Phase } from '../crash/neighbours/report.ts'
import { openNeighbours } from '../crash/neighbours/stage.ts'
import { measured } from '../crash/record.ts'
import { eventually } from '../helpers/eventually.ts'

/** When a fault begins, in milliseconds after the start of its phase: some requests and runs are then under way. */
const beginsAfterMs = 2000

/** Something happens to a part of the platform while its users go on. */
interface Course {
  seconds: number
  begin?: () => unknown
  /** Whether requests may fail until a health check has taken a process out. */
  takesOut?: boolean
}

/*
 * What a fault of some processes costs everybody else, beside the same users without it, in about five minutes:
 * npm run long -- neighbours
 */
test('a fault of some processes loses, doubles and reorders nothing, and fails no request that a health check can spare', async (t) => {
  t.timeout(10 * 60_000)
  const stage = await openNeighbours(t)
  const { door, network, temporal, turns, workers } = stage
  const half = workers.slice(0, 2)
  const send = (signal: NodeJS.Signals) => () => half.forEach(({ pid }) => process.kill(pid, signal))

  const first = await pass(t, stage, 'warming up', { seconds: 10 })
  const calm = await pass(t, stage, 'calm', { seconds: 30 })
  const phases = [first, calm]
  const during = async (name: string, course: Course) => void phases.push(await pass(t, stage, name, course, calm))

  await during('half of the workers frozen', { seconds: 30, begin: send('SIGSTOP') })
  await during('these workers thawed', { seconds: 15, begin: send('SIGCONT') })
  await during('one of two APIs refused by Postgres', { seconds: 20, begin: door.stop, takesOut: true })
  await door.start()
  await isBack(t, stage)
  await during('one of two APIs cut off from Postgres', { seconds: 30, begin: () => network.hold(), takesOut: true })
  await network.open()
  await isBack(t, stage)
  await during('Temporal 2 s slow', { seconds: 30, begin: () => temporal.delay(1000) })

  t.deepEqual(avoidable(phases, turns), [])
  await assertRecord(t, stage.databaseUrl, deliveredIn(phases))
})

type Stage = Awaited<ReturnType<typeof openNeighbours>>

/** The users live for so long, and the fault lasts until all runs of theirs have ended. */
async function pass(
  t: ExecutionContext,
  { users, databaseUrl }: Stage,
  name: string,
  { seconds, begin, takesOut = false }: Course,
  calm?: Phase,
): Promise<Phase> {
  const began = Date.now()
  const living = users.live(AbortSignal.timeout(seconds * 1000))
  await delay(beginsAfterMs)
  await begin?.()
  const seen = await living
  const runs = await allEnded(databaseUrl, seen.delivered)
  const phase = { name, began, seconds, seen, runs, takesOut }
  for (const line of linesOf(phase, calm ?? phase)) measured(t, line)
  for (const { sentAt, what } of seen.failures) measured(t, `${sentAt - began} ms: ${what}`)
  return phase
}

async function isBack(t: ExecutionContext, { turns }: Stage): Promise<void> {
  const since = Date.now()
  await eventually(30, 'the process is back in the balancer', () => turns.at(-1)?.isReady || undefined)
  measured(t, `${Date.now() - since} ms until the process was back in the balancer`)
}
