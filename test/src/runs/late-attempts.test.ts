import test from 'ava'
import { isCoded } from '../../../src/errors.ts'
import { Run } from '../../../src/runs/run.ts'
import { Step } from '../../../src/loop/step.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold, untilBlocked } from '../../helpers/hold.ts'
import { agentOf, person, timelineOf } from '../../helpers/people.ts'
import { cancel, dataOf, start, stall } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { claimed, never, openLate, planned } from './open-late.ts'

const house = forWholeFile(test, 'late attempts', (t) => openLate(t))

/** A claimed run. */
const begin = async (script: string) => ({ ...(await house()), ...(await claimed(await house(), script)) })

test('a claim that comes twice from one execution of the queue has one answer, and another one takes the run up when the first is gone', async (t) => {
  const { platform, services } = await house()
  const { inspection, wakeAgent } = services.temporal
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const { id } = (await start(someone, agent)).body
  const claim = (execution: string) => services.runs.queue.claimNext(agent.id, execution)
  const openExecution = () =>
    eventually(10, 'the queue is open', async () => (await inspection.queue(agent.id))?.executionId)
  const courseOf = async () => (await timelineOf(someone, id)).map(({ kind }) => kind)
  const one = await openExecution()
  const first = await claim(one)
  t.like(first, { runId: id, epoch: 1 })
  // As from a worker that was frozen in the middle of it, when Temporal has long given the task to another one.
  t.deepEqual(await claim(one), first)
  const behind = await services.runs.accept.one({ agentId: agent.id, trigger: 'manual', requestId: 'behind' })
  await cancel(someone, behind.runId)
  t.deepEqual(await claim(one), first, 'the end of another run is none of its business')

  await inspection.terminateQueue(agent.id, { executionId: one }, 'the test begins another one')
  await wakeAgent({ agentId: agent.id, ownerId: first?.ownerId ?? '', agentName: 'An agent' })
  const another = await openExecution()
  t.is(await claim(another), null, 'the run is the first one’s')
  await inspection.terminateQueue(agent.id, { executionId: one }, 'it was looked at before')
  t.is((await inspection.queue(agent.id))?.executionId, another, 'its successor is not ended in its place')
  await stall(services, agent.id)
  await services.runs.reconciler.reconcileNow(agent.id)
  t.is(await claim(one), null, 'nobody listens to it any more')
  t.like(await claim(another), { runId: id, epoch: 2 })
  t.is(await claim(one), null)
  t.like(await claim(another), { runId: id, epoch: 2 })
  t.deepEqual(await courseOf(), ['accepted', 'started', 'recovered'])
  await services.runs.ending.end({ runId: id, epoch: 2, agentId: agent.id }, { status: 'completed', reason: null })
  t.is(await claim(another), null)
})

test('a run of which nobody knows who has claimed it is given to nobody before another epoch has begun', async (t) => {
  const { services, run } = await begin('[[say hello]]')
  const { runs, database, temporal } = services
  const { runId, agentId } = run
  await database('agent_queues').where({ agentId }).update({ claimedBy: null, claimedEpoch: null })
  t.is(await runs.queue.claimNext(agentId, 'one'), null)
  const open = await eventually(
    10,
    'the queue is open',
    async () => (await temporal.inspection.queue(agentId)) ?? undefined,
  )
  await temporal.inspection.terminateQueue(agentId, open, 'the test begins another one')
  await stall(services, agentId)
  await runs.reconciler.reconcileNow(agentId)
  const { epoch, progressedAt } = await Run.query(database).findById(runId).throwIfNotFound()
  t.is(epoch, run.epoch + 1)
  t.true(Date.now() - progressedAt.getTime() > 3_000_000, 'a repair is no progress')
  t.like(await runs.queue.claimNext(agentId, 'one'), { runId, epoch: run.epoch + 1 })
})

test('an attempt that comes when the step is on record already begins nothing', async (t) => {
  const { services, someone, run } = await begin('[[say hello]]')
  const { database } = services
  const trx = await database.transaction()
  await Run.query(trx).findById(run.runId).forUpdate()
  const late = services.runs.steps.advance(run, never)
  const recorded = { model: 'demo', answer: 'Done.', finish: 'stop' as const, recordedAt: new Date() }
  const used = { inputTokens: 1, outputTokens: 1, credits: 1, latencyMs: 1 }
  await Step.query(trx).insert({ subjectId: run.runId, step: 1, ...recorded, ...used })
  await Run.query(trx).findById(run.runId).patch({ steps: 1 })
  await trx.commit()

  t.deepEqual(await late, { kind: 'end', status: 'completed', reason: null })
  const kinds = (await timelineOf(someone, run.runId)).map(({ kind }) => kind)
  t.false(kinds.includes('step.started'))
})

test('an attempt that fails after the run has ended adds nothing to its timeline', async (t) => {
  const { services, someone, run } = await begin('[[sleep 1]][[fail 500]]')
  const failing = services.runs.steps.advance(run, never)
  await services.runs.ending.end(run, { status: 'failed', reason: 'TERMINATED' })
  await failing.catch((error: unknown) => t.true(isCoded(error, 'MODEL_ERROR')))
  const timeline = await timelineOf(someone, run.runId)
  t.is(timeline.at(-1)?.kind, 'ended')
})

test('what the next attempt of a step holds is not given back when an earlier one fails late', async (t) => {
  const { services, run } = await begin('[[sleep 3]][[fail 500]]')
  const held = async () => (await services.database('credit_holds').where({ subjectId: run.runId })).length
  const row = () => Run.query(services.database).findById(run.runId).throwIfNotFound()
  const attempts: Promise<unknown>[] = []
  for (const number of [1, 2]) {
    attempts.push(t.throwsAsync(services.runs.steps.advance(run, never), { code: 'MODEL_ERROR' }))
    await eventually(10, `attempt ${number} has begun`, async () => (await row()).attempt === number || undefined)
  }
  await attempts[0]
  t.is(await held(), 1)
  t.like(await row(), { failedAttempt: null, waitedMs: 0 })
  await attempts[1]
  t.is(await held(), 0)
  const { waitedMs, outageMs } = await row()
  t.true(waitedMs > 0, 'what a model takes to fail is no work of the run')
  t.is(outageMs, waitedMs)
})

test('an attempt that succeeds after the run has ended is neither recorded nor charged', async (t) => {
  const { services, someone, run } = await begin('[[sleep 1]][[say late]]')
  const answering = services.runs.steps.advance(run, never)
  await services.runs.ending.end(run, { status: 'failed', reason: 'TERMINATED' })
  t.like(await answering, { kind: 'end', status: 'failed', reason: 'TERMINATED' })
  const { steps, credits } = await Run.query(services.database).findById(run.runId).throwIfNotFound()
  t.deepEqual({ steps, credits }, { steps: 0, credits: 0 })
  t.is((await timelineOf(someone, run.runId)).at(-1)?.kind, 'ended')
})

test.serial('of two attempts at a call that both come to send it, one does', async (t) => {
  const late = await house()
  const { sites, services } = late
  const { someone, run, callId } = await planned(late, 'slow_once')
  // Both have looked at the call, and wait for their turn at the site, when the first of them gets it.
  const { database } = services
  const { host } = new URL(sites.badTools.origin)
  await database.raw('insert into outgoing_hosts (host) values (?) on conflict do nothing', [host])
  const lock = 'select 1 from outgoing_hosts where host = ? for update'
  const release = await hold(database, (trx) => trx.raw(lock, [host]))
  const attempts = [1, 2].map(() => services.runs.calls.perform(run, callId, never))
  await untilBlocked(database, 2)
  await release()
  await Promise.all(attempts)

  t.is(sites.badTools.requests().length, 1)
  const timeline = await timelineOf(someone, run.runId)
  t.deepEqual(
    dataOf(timeline, 'tool.started').map(({ attempt, note }) => [attempt, note]),
    [[1, undefined]],
  )
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', attempts: 1 }])
})

test('a run that ends says of each call that it leaves open what is known of its attempts', async (t) => {
  const again = 'The run ended before this call was retried.'
  const nothing = `${again} Its earlier attempts had no effect.`
  const doubt = `${again} An earlier attempt may or may not have taken effect.`
  const underWay = 'The run ended while this call was in progress. The call may or may not have taken effect.'
  const cases = [
    [{ attempts: 0 }, 'failed', 'The run ended before this call was sent.'],
    [{ attempts: 1, refused_attempts: 1 }, 'failed', nothing],
    [{ attempts: 1 }, 'failed', nothing],
    [{ attempts: 2, refused_attempts: 1, in_doubt: true }, 'unknown', doubt],
    [{ attempts: 1, status: 'started' }, 'unknown', underWay],
  ] as const
  const script = cases.map((_, number) => `[[call slow_idempotent {"seconds":${number}}]]`).join(' ')
  const { services, someone, run } = await begin(script)
  await services.runs.steps.advance(run, never)
  for (const [position, [state]] of cases.entries())
    await services.database('tool_calls').where({ subjectId: run.runId, position }).update(state)
  await services.runs.ending.end(run, { status: 'failed', reason: 'TERMINATED' })
  const outcomes = dataOf(await timelineOf(someone, run.runId), 'tool.finished')
  const said = outcomes.map((data) => [data['idempotencyKey'], [data['status'], data['note'], data['result']]])
  const expected = cases.map(([, status, note], position) => [`${run.runId}:1:${position}`, [status, note, note]])
  t.deepEqual(Object.fromEntries(said), Object.fromEntries(expected))
})
