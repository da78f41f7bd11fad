import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { cancel, dataOf, runsOf } from '../helpers/runs.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { askedFor, courseOf, measured, untilAsked, untilEvent } from './record.ts'
import { openStage, type Stage } from './stage.ts'

const impatient = { RECONCILE_SECONDS: '1', STANDSTILL_SECONDS: '2' }

/** Delivers a run that does what the script says, and one behind it that answers at once. */
async function two(stage: Stage, someone: Person, systemPrompt: string, sites: { vaultEntryId: string }[] = []) {
  const agent = await webhookAgent(someone, { systemPrompt, allowActionOverride: true, sites })
  const { runId } = (await deliver(stage.platform, agent, {})).body
  const { runId: next } = (await deliver(stage.platform, agent, { action: '[[say done]]' })).body
  return { agent, runId, next }
}

/** The run ends as cancelled within ten seconds of being asked to, by the record's own times. */
async function endsInTime(t: ExecutionContext, someone: Person, runId: string): Promise<void> {
  t.like(await ended(someone, runId, 15), { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
  const timeline = await timelineOf(someone, runId)
  const at = (kind: string) => Date.parse(timeline.find((event) => event.kind === kind)?.at ?? '')
  const took = at('ended') - at('cancel.requested')
  measured(t, `${took} ms from the request to the end: ${courseOf(timeline).join(', ')}`)
  t.true(took <= 10_000)
}

const holderOf = async ({ platform }: Stage, name: string): Promise<unknown> => {
  const lease: { holder?: unknown } | undefined = await platform.services.database('leases').where({ name }).first()
  return lease?.holder
}

test('runs of a frozen worker can be cancelled in time, the others go on elsewhere, and its late answers change nothing', async (t) => {
  const stage = await openStage(t, { sites: true, env: impatient })
  const { badTools } = stage.sites
  const [frozen] = await Promise.all([stage.startWorker(), stage.startApi()])
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const thinking = await two(stage, someone, '[[sleep 20]]')
  const calling = await two(stage, someone, '[[call slow_once {"seconds":20}]]', sites)
  // A frozen worker takes with it as many tasks as it has polls open, activities and others. With these they are lost
  // side by side, and not one after the other by the runs that are looked at.
  const decoysOf = (count: number, systemPrompt: string) =>
    Promise.all(Array.from({ length: count }, () => webhookAgent(someone, { systemPrompt })))
  const start = (agents: Awaited<ReturnType<typeof decoysOf>>) =>
    Promise.all(agents.map((agent) => deliver(stage.platform, agent, {})))
  const [working, idle] = [await decoysOf(3, '[[sleep 5]]'), await decoysOf(8, 'Report.')]
  const other = await two(stage, someone, '[[sleep 5]]')
  const all = [thinking, calling, other]
  await start(working)
  for (const { runId } of [thinking, other]) await untilEvent(someone, runId, 'step.started')
  await untilAsked(badTools.requests, 'slow_once')
  // Only workers sweep, and there is one.
  const itself = await holderOf(stage, 'sweeper')

  process.kill(frozen.pid, 'SIGSTOP')
  await start(idle)
  for (const { runId } of [thinking, calling]) t.is((await cancel(someone, runId)).body.status, 'running')
  const began = Date.now()
  const another = stage.startWorker()
  await Promise.all([thinking, calling].map(({ runId }) => endsInTime(t, someone, runId)))
  const [call] = dataOf(await timelineOf(someone, calling.runId), 'tool.finished')
  t.like(call, { status: 'unknown', attempts: 1 })

  await another
  for (const { runId, next } of all) {
    t.is((await ended(someone, next, 120)).status, 'completed')
    measured(t, `${Date.now() - began} ms until the next run had ended`)
    measured(t, courseOf(await timelineOf(someone, runId)).join(', '))
  }
  t.like(await ended(someone, other.runId, 120), { status: 'completed', steps: 1 })
  for (const lease of ['sweeper', 'reconciler']) {
    await eventually(30, `somebody else holds the lease ${lease}`, async () =>
      (await holderOf(stage, lease)) === itself ? undefined : true,
    )
  }

  const before = await Promise.all(all.flatMap(({ runId, next }) => [runId, next]).map((id) => timelineOf(someone, id)))
  process.kill(frozen.pid, 'SIGCONT')
  // What it was doing when it was frozen it has answered by then, and its loops have gone round.
  await delay(3000)
  const after = await Promise.all(all.flatMap(({ runId, next }) => [runId, next]).map((id) => timelineOf(someone, id)))
  t.deepEqual(after, before)
  t.is(askedFor(badTools.requests(), 'slow_once').times, 1)
  for (const { agent } of all) {
    t.deepEqual(
      (await runsOf(someone, agent)).map(({ endedAt }) => endedAt !== null),
      [true, true],
    )
  }
})

test('cancelling ends in time while Temporal is away and while there is no worker, and the next runs go on after', async (t) => {
  const temporal = await startOwnTemporal(t)
  const stage = await openStage(t, { env: { ...impatient, TEMPORAL_ADDRESS: temporal.address } })
  const [worker] = await Promise.all([stage.startWorker(), stage.startApi()])
  const someone = await customer(stage.platform)
  const [first, second] = [await two(stage, someone, '[[sleep 60]]'), await two(stage, someone, '[[sleep 61]]')]
  for (const { runId } of [first, second]) await untilEvent(someone, runId, 'step.started')

  await temporal.stop()
  await cancel(someone, first.runId)
  await endsInTime(t, someone, first.runId)
  await temporal.start()
  const back = Date.now()
  t.is((await ended(someone, first.next, 60)).status, 'completed')
  measured(t, `${Date.now() - back} ms from the return of Temporal to the end of the next run`)

  await worker.kill()
  await cancel(someone, second.runId)
  await endsInTime(t, someone, second.runId)
  const began = Date.now()
  await stage.startWorker()
  t.is((await ended(someone, second.next, 60)).status, 'completed')
  measured(t, `${Date.now() - began} ms from the new worker's start to the end of the next run`)
})
