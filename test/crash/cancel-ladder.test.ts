import test, { type ExecutionContext } from 'ava'
import { customer, deliver, ended, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { cancel } from '../helpers/runs.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { courseOf, measured, untilEvent } from './record.ts'
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
