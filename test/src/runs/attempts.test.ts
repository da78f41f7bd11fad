import test from 'ava'
import * as agentsApi from '../../../api/agents.ts'
import type { Transaction } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { isOpen, Outage } from '../../../src/outages/outage.ts'
import { readFacts } from '../../../src/runs/reconcile/facts.ts'
import { lockRun, type RunRef } from '../../../src/runs/record.ts'
import { Run } from '../../../src/runs/run.ts'
import { createDecide } from '../../../src/runs/step/decide.ts'
import { createModelStanding } from '../../../src/runs/step/model-trouble.ts'
import { createWaits } from '../../../src/runs/step/waits.ts'
import { call } from '../../helpers/client.ts'
import { openDatabaseDoor } from '../../helpers/database-door.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { movableClock } from '../../helpers/clock.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { claimed, never, openLate, planned, type Late } from './open-late.ts'

/** Its runs are carried out by the tests, step by step. */
const platformOf = sharedPlatform(test, 'idle')

const house = forWholeFile(test, 'by hand', async (t) => openLate(t, await platformOf()))

test('a call that was sent by a worker which is lost is sent again only if its tool may be called twice', async (t) => {
  for (const [tool, times, status] of [
    ['slow_once', 0, 'unknown'],
    ['slow_idempotent', 1, 'succeeded'],
  ] as const) {
    const late = await house()
    const { run, callId, read } = await planned(late, tool)
    await late.services.database('tool_calls').where({ id: callId }).update({ status: 'started', attempts: 1 })
    await late.services.runs.calls.perform(run, callId, never)
    t.is(keysOf(late, run).length, times, tool)
    t.is((await read()).status, status, tool)
  }
})

/** The keys of the calls of a run that the site has received. */
const keysOf = ({ sites }: Late, { runId }: { runId: string }) =>
  sites.badTools.requests().flatMap(({ idempotencyKey: key }) => (key?.startsWith(runId) ? [key] : []))

test('each call has an idempotency key of its own, also beside others of its step', async (t) => {
  const late = await house()
  const { run } = await claimed(late, '[[call echo_text {"text":"a"}]] [[call echo_text {"text":"b"}]]')
  const move = await late.services.runs.steps.advance(run, never)
  for (const { callId } of move.kind === 'tools' ? move.calls : [])
    await late.services.runs.calls.perform(run, callId, never)
  t.deepEqual(keysOf(late, run), [`${run.runId}:1:0`, `${run.runId}:1:1`])
})

/** A run that was started, of an agent that its owner pauses and resumes. */
async function begun() {
  const { services, ...platform } = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  await deliver(someone, agent, { number: 1 })
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  const params = { agentId: agent.id }
  const pause = () => call(someone, agentsApi.pauseAgent, { params })
  const resume = () => call(someone, agentsApi.resumeAgent, { params })
  return { services, someone, agent, run, pause, resume }
}

/** Decides what a run does next, as of a time that the test moves. */
function settlingFor(services: Late['services']) {
  const clock = movableClock(new Date().toISOString())
  const then = { ...services, clock, traces: services.runs.traces }
  const [decide, waits] = [createDecide({ ...then, modelStanding: async () => undefined }), createWaits(then)]
  const settle = (ref: RunRef) =>
    services.database.transaction(async (trx) => waits.follow(trx, await decide(trx, await lockRun(trx, ref))))
  return { clock, settle }
}

test('a run that finds no place says since when, until it goes on or lacks another place', async (t) => {
  const { services, run } = await begun()
  const row = () => services.database('runs').where({ id: run.runId })
  const note = async (provider?: string, epoch = run.epoch) => {
    await services.runs.noteNoPlace({ ...run, epoch }, provider)
    return (await row().first('noPlaceSince', 'noPlaceAt')) as { noPlaceSince: Date | null; noPlaceAt: string | null }
  }
  t.like(await note('local', run.epoch - 1), { noPlaceSince: null })
  const long = new Date(Date.now() - 60_000)
  await note('local')
  await row().update({ progressedAt: long, noPlaceSince: long })
  t.deepEqual(await note('local'), { noPlaceSince: long, noPlaceAt: 'local' })
  for (const [progressedAt, provider] of [
    [long, undefined],
    [new Date(long.getTime() + 1), undefined],
  ] as const) {
    await row().update({ progressedAt, noPlaceSince: long })
    const { noPlaceSince, noPlaceAt } = await note(provider)
    t.is(noPlaceAt, null)
    t.true(noPlaceSince !== null && noPlaceSince > long)
  }
})

test('that a run had no place for its step, or for its call, is no work of it', async (t) => {
  const late = await house()
  const { database, runs } = late.services
  const { run } = await claimed(late, '[[call slow_once {"seconds":0}]]')
  const row = () => database('runs').where({ id: run.runId })
  const hour = 3_600_000
  const waitedAfter = async <T>(work: () => Promise<T>) => {
    const since = new Date(Date.now() - hour)
    await row().update({ progressedAt: since, noPlaceSince: since, noPlaceAt: null })
    const done = await work()
    return { done, waitedMs: (await row().first('waitedMs')).waitedMs }
  }
  const { done: move, waitedMs } = await waitedAfter(() => runs.steps.advance(run, never))
  t.true(waitedMs >= hour)
  const [call] = move.kind === 'tools' ? move.calls : []
  t.true((await waitedAfter(() => runs.calls.perform(run, call?.callId ?? '', never))).waitedMs >= 2 * hour)
})

test('an attempt is not lost to Postgres, which breaks while what the model is shown is read', async (t) => {
  const door = await openDatabaseDoor(t, (await createTestDatabase(t)).url)
  const late = await openLate(t, await startPlatform(t, { env: { DATABASE_URL: door.url } }))
  const { run } = await claimed(late, '[[call slow_once {"seconds":0}]]')
  for (let time = 0; time < 2; time += 1) door.unsent('from agent_lost_sites l where l.agent_id = a.id')
  t.like(await late.services.runs.steps.advance(run, never), { kind: 'tools' })
  t.true(door.areBroken())
})

test('days in which the platform was away are no work of a run, and take nothing off its waiting', async (t) => {
  const late = await house()
  const { database, runs } = late.services
  const { run } = await claimed(late, '[[call slow_once {"seconds":0}]]')
  const row = () => database('runs').where({ id: run.runId })
  const days = 3 * 86_400_000
  const awayFor = () =>
    row().update({
      startedAt: database.raw(`started_at - interval '3 days'`),
      progressedAt: database.raw(`progressed_at - interval '3 days'`),
    })
  await awayFor()
  const move = await runs.steps.advance(run, never)
  const [call] = move.kind === 'tools' ? move.calls : []
  await awayFor()
  await runs.calls.perform(run, call?.callId ?? '', never)
  await awayFor()
  t.like(await runs.steps.advance(run, never), { kind: 'end', status: 'completed' })
  const { waitedMs, outageMs } = await row().first('waitedMs', 'outageMs')
  t.true(outageMs >= 3 * days)
  t.is(waitedMs, outageMs)
})

test('a step that was begun four times and always lost is given up, and after failures asked in three rounds', async (t) => {
  const late = await house()
  const completed = { kind: 'end', status: 'completed', reason: null }
  const abandoned = { kind: 'end', status: 'failed', reason: 'STEP_ABANDONED' }
  const failed = { failedAttempt: 3, failedAt: new Date() }
  for (const [changes, move] of [
    [{ stepAttempts: 3 }, completed],
    [{ stepAttempts: 4 }, abandoned],
    [{ stepAttempts: 4, ...failed, modelRounds: 1 }, completed],
    [{ stepAttempts: 4, ...failed, modelRounds: 2 }, abandoned],
  ] as const) {
    const { run } = await claimed(late, '[[say done]]')
    await late.services
      .database('runs')
      .where({ id: run.runId })
      .update({ attempt: 4, ...changes })
    t.deepEqual(await late.services.runs.steps.advance(run, never), move as unknown, JSON.stringify(changes))
  }
})

test('an attempt that is given up because its worker stops does not count', async (t) => {
  const late = await house()
  const { run } = await claimed(late, '[[sleep 60]]')
  const row = () => Run.query(late.services.database).findById(run.runId).throwIfNotFound()
  const stop = new AbortController()
  const asked = t.throwsAsync(late.services.runs.steps.advance(run, stop.signal), { message: 'stopped' })
  await eventually(10, 'the attempt has begun', async () => (await row()).stepAttempts === 1 || undefined)
  stop.abort(new Error('stopped'))
  await asked
  t.like(await row(), { stepAttempts: 0, attempt: 1 })
})

test('an attempt that is given up when the next one has begun does not count either, and one of an earlier round changes nothing', async (t) => {
  const late = await house()
  const { run } = await claimed(late, '[[sleep 60]]')
  const { database, runs } = late.services
  const row = () => Run.query(database).findById(run.runId).throwIfNotFound()
  const attempts: { giveUp: () => Promise<unknown> }[] = []
  for (const number of [1, 2, 3]) {
    const stop = new AbortController()
    const asked = t.throwsAsync(runs.steps.advance(run, stop.signal), { message: 'stopped' })
    attempts.push({ giveUp: () => (stop.abort(new Error('stopped')), asked) })
    await eventually(10, 'the attempt has begun', async () => (await row()).attempt === number || undefined)
  }
  t.like(await row(), { stepAttempts: 3, attempt: 3 })
  await attempts[0]?.giveUp()
  t.like(await row(), { stepAttempts: 2, attempt: 3 })
  await Run.query(database).findById(run.runId).patch({ stepAttempts: 1 })
  await attempts[1]?.giveUp()
  t.like(await row(), { stepAttempts: 1, attempt: 3 })
  await attempts[2]?.giveUp()
  t.like(await row(), { stepAttempts: 0, attempt: 3 })
})

test('a run that begins to wait gives back what a lost attempt of its step has held', async (t) => {
  const { services, run, pause } = await begun()
  const { settle } = settlingFor(services)
  const { runId: subjectId, ownerId } = run
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)]
  const hold = { subjectId, ownerId, createdAt, expiresAt, tokens: 1, credits: 1, step: 1 }
  await services.database('credit_holds').insert(hold)
  await services.database('runs').where({ id: subjectId }).update({ attempt: 1, stepAttempts: 1 })
  await pause()
  const due = () => services.database('due_agents').where({ agentId: run.agentId }).where('dueAt', '<=', new Date())
  await due().delete()
  t.like(await settle(run), { kind: 'wait', cause: 'paused' })
  t.deepEqual(await services.database('credit_holds').where({ subjectId }), [])
  t.is((await due()).length, 1, 'what it waits for may have just come')
})

test('each time that a run begins to wait for credits its owner is told', async (t) => {
  const { services, run } = await begun()
  const { clock, settle } = settlingFor(services)
  const { ownerId } = run
  const grant = (balance: number) => services.database('accounts').where({ ownerId }).update({ balance })
  for (const times of [1, 2]) {
    await grant(0)
    // Asked again, it is the same wait.
    for (const _ of [1, 2]) t.like(await settle(run), { kind: 'wait', cause: 'credits' })
    t.is((await services.database('notifications').where({ ownerId, kind: 'queue_blocked' })).length, times)
    clock.forward(60)
    await grant(1000)
    t.like(await settle(run), { kind: 'model' })
  }
})

// @promise waits
test('what a run has waited is added up over all its waits', async (t) => {
  const { services, run, pause, resume } = await begun()
  const { clock, settle } = settlingFor(services)
  for (const seconds of [60, 30]) {
    await pause()
    t.like(await settle(run), { kind: 'wait', cause: 'paused' })
    clock.forward(seconds)
    await resume()
    t.like(await settle(run), { kind: 'model' })
  }
  t.like(await services.database('runs').where({ id: run.runId }).first(), {
    waitedMs: 90_000,
    outageMs: 90_000,
    waitingSince: null,
  })
})

test('a run may ask the model that it waits for, or the other one that it has not left for good', async (t) => {
  const { services, run } = await begun()
  const { database } = services
  const [own, second] = [`own of ${run.runId}`, `second of ${run.runId}`]
  await database('agent_prompts').where({ agentId: run.agentId }).update({ model: own, fallbackModel: second })
  const outages = {
    areKnown: () => true,
    of: async (trx: Transaction, model: string) => await Outage.query(trx).findOne({ model, ...isOpen }),
  }
  const standing = createModelStanding({ ...services, outages })
  const [now, waitingUntil] = [new Date(), new Date(Date.now() + 3_600_000)]
  const row = { provider: null, beganAt: now, lastFailedAt: now, nextProbeAt: waitingUntil, message: 'It is out.' }
  const waits = { status: 'waiting', waitingCause: 'model', waitingSince: now, waitingUntil } as const
  const left = (ownModelWasOut: boolean) => ({ waitingFor: second, fallbackSince: 1, ownModelWasOut })
  const rows: [out: string[], at: object, expected: object | undefined][] = [
    [[], { waitingFor: own }, undefined],
    [[own], { waitingFor: own }, { other: { from: own, to: second, isFallback: true } }],
    [[own, second], { waitingFor: own }, { trouble: { model: own } }],
    [[second], left(true), { other: { from: second, to: own, isFallback: false } }],
    [[second], left(false), { trouble: { model: second } }],
    [[own, second], left(true), { trouble: { model: second } }],
    [[own], left(true), undefined],
  ]
  for (const [out, at, expected] of rows) {
    for (const model of out) await Outage.query(database).insert({ ...row, id: newId(), model })
    const changed = await Run.query(database).patchAndFetchById(run.runId, { ...waits, ...at })
    const found = await database.transaction((trx) => standing(trx, changed))
    if (expected === undefined) t.is(found, undefined)
    else t.like(found, expected)
    const [facts] = await readFacts(database, [run.agentId], { now, defaultModel: 'none' })
    t.is(facts?.modelAnswers, !(expected && 'trouble' in expected), 'and it is woken only then')
    await Outage.query(database).whereIn('model', [own, second]).delete()
  }
})

test('a run that waits for an approval, or for its turn, is woken by a call that has what it waited for', async (t) => {
  const late = await house()
  const { database } = late.services
  const { run, callId } = await planned(late, 'slow_once')
  const [now, waitingUntil] = [new Date(), new Date(Date.now() + 3_600_000)]
  const waits = { status: 'waiting', waitingFor: 'a site', waitingSince: now, waitingUntil } as const
  for (const waitingCause of ['approval', 'rate_limit'] as const) {
    await Run.query(database)
      .findById(run.runId)
      .patch({ ...waits, waitingCause })
    for (const [waitCause, isFreed] of [
      ['rate_limit', false],
      ['approval', true],
      ['credential', true],
      [null, true],
    ] as const) {
      await database('tool_calls').where({ id: callId }).update({ waitCause, notBefore: waitingUntil })
      const [facts] = await readFacts(database, [run.agentId], { now, defaultModel: 'none' })
      t.is(facts?.hasFreedCalls, isFreed, `${waitingCause}: ${waitCause}`)
    }
  }
})
