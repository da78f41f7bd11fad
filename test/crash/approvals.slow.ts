import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../api/notifications.ts'
import { approvalsOf, asked, askingAgent, decide } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { ended, runOf, timelineOf } from '../helpers/people.ts'
import { dataOf, start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { requestsOf } from './record.ts'
import { connected, openStage, reconcile, type Stage } from './stage.ts'

/** A run that waits for its owner to approve a call that must not be repeated. */
async function asking(stage: Stage) {
  const { someone, vaultEntryId } = await connected(stage)
  const agent = await askingAgent({ someone, vaultEntryId }, '[[call slow_once {"seconds":0}]]')
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  const [approval] = await asked(someone)
  return { someone, id, approvalId: approval?.id ?? '' }
}

type Asking = Awaited<ReturnType<typeof asking>>

/** A worker that is killed while runs wait; some are decided while there is none. */
const aftermath = forWholeFile(test, 'approvals after a kill', async (t) => {
  const stage = await openStage(t, { sites: true })
  const worker = await stage.startWorker()
  const [approved, refused, pending] = await Promise.all([asking(stage), asking(stage), asking(stage)])
  const before = await timelineOf(pending.someone, pending.id)
  await worker.kill()
  reconcile(t, stage.platform)
  await decide(approved.someone, approved.approvalId, 'approve')
  await decide(refused.someone, refused.approvalId, 'refuse', { note: 'Not now.' })
  const meanwhile = await runOf(approved.someone, approved.id)
  await stage.platform.startWorker({ reconciles: true })
  return { stage, approved, refused, pending, before, meanwhile }
})

/** The run is completed, its owner was asked and told once, and the site was called so often. */
async function endsWith(t: ExecutionContext, stage: Stage, run: Asking, status: string, calls: number) {
  t.like(await ended(run.someone, run.id, 60), { status: 'completed', steps: 2 })
  t.is(requestsOf(stage, run.id).length, calls)
  t.like(await approvalsOf(run.someone), { 0: { id: run.approvalId, status }, length: 1 })
  const timeline = await timelineOf(run.someone, run.id)
  for (const kind of ['approval.requested', 'approval.decided', 'wait.started', 'tool.finished'])
    t.is(dataOf(timeline, kind).length, 1, kind)
  t.is((await call(run.someone, notifications.listNotifications)).body.items.length, 1)
  return timeline
}

// @promise decisions
test('a call that is approved while there is no worker is made by the next one, once', async (t) => {
  const { stage, approved, meanwhile } = await aftermath()
  t.is(meanwhile.status, 'waiting')
  await endsWith(t, stage, approved, 'approved', 1)
})

test('a call that is refused while there is no worker is not made by the next one, which tells the model', async (t) => {
  const { stage, refused } = await aftermath()
  const timeline = await endsWith(t, stage, refused, 'refused', 0)
  t.regex(String(dataOf(timeline, 'step.finished')[1]?.['text']), /Not now\./)
})

// @promise decisions
test('a run whose worker is killed while it waits for an approval asks nobody again, and goes on when it is decided', async (t) => {
  const { stage, approved, pending, before } = await aftermath()
  // Its worker is there, and has had something to do.
  await ended(approved.someone, approved.id, 60)
  t.deepEqual(await timelineOf(pending.someone, pending.id), before)
  const decidedAt = Date.now()
  await decide(pending.someone, pending.approvalId, 'approve')
  await eventually(30, 'the call is made', async () => (requestsOf(stage, pending.id).length > 0 ? true : undefined))
  t.log(`${Date.now() - decidedAt} ms from the decision to the call`)
  await endsWith(t, stage, pending, 'approved', 1)
})
