import test, { type ExecutionContext } from 'ava'
import type { FormField } from '../../../src/forms/form.ts'
import { createRunLedger } from '../../../src/runs/step/call-ledger.ts'
import { StaleEpochError, type RunRef } from '../../../src/runs/record.ts'
import type { Runs } from '../../../src/runs/runs.ts'
import type { ToolCall } from '../../../src/tools/tool-call.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold } from '../../helpers/hold.ts'
import { cancel, takeUpAgain } from '../../helpers/runs.ts'
import { someJob } from '../../helpers/tasks.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { claimed, never, openLate, planned, recordOf, type Late } from './open-late.ts'

/**
 * Whoever acts for a run names the epoch that it was given, and is refused when somebody else has been given a later one.
 * Elsewhere the end is reached all the same; here the late party is the test itself.
 */
const house = forWholeFile(test, 'the late party', (t) => openLate(t))

type Act = (ref: RunRef & { agentId: string }, call: ToolCall) => Promise<unknown>

/** The names of functions whose first argument is a run and an epoch. */
type UnderEpoch<Of> = {
  [Name in keyof Of]: Of[Name] extends (ref: infer Ref, ...rest: never[]) => unknown
    ? Ref extends RunRef
      ? Name
      : never
    : never
}[keyof Of]

/** The operations of all parts of runs. */
type Parts = { [Part in keyof Runs]: (of: Runs[Part]) => void }[keyof Runs] extends (of: infer All) => void
  ? All
  : never

const outcome = { kind: 'succeeded', httpStatus: 200, text: 'late', value: {} } as const
const unreached = { kind: 'unavailable', httpStatus: null, certain: true, text: 'late' } as const
const asking = {
  kind: 'asks',
  httpStatus: 200,
  certain: false,
  text: 'late',
  form: { message: 'Late?', fields: [] as FormField[] },
  state: '{}',
} as const
const accepted = { kind: 'accepted', httpStatus: 200, certain: false, text: 'late', job: '{}' } as const
const refusal = { kind: 'refused', httpStatus: 401, certain: true, text: 'late' } as const

/** Everything that acts under an epoch. What is new there and not here does not compile. */
function actsOf({ services }: Late): Record<string, Act> {
  const { runs } = services
  const ledgerOf = createRunLedger(services)
  const ofRuns: Record<UnderEpoch<Parts>, Act> = {
    advance: (ref) => runs.steps.advance(ref, never),
    perform: (ref, { id }) => runs.calls.perform(ref, id, never),
    end: (ref) => runs.ending.end(ref, { status: 'completed', reason: null }),
    endAndClaim: (ref) => runs.ending.endAndClaim(ref, { status: 'completed', reason: null }, null),
  }
  const ofLedger: Record<Exclude<keyof ReturnType<typeof ledgerOf>, 'maxRefused'>, Act> = {
    look: (ref, { id }) => ledgerOf(ref).look(id),
    begin: (ref, call) => ledgerOf(ref).begin(call),
    finish: (ref, call) => ledgerOf(ref).finish(call, outcome),
    ask: (ref, call) => ledgerOf(ref).ask(call, asking),
    fail: (ref, call) => ledgerOf(ref).fail(call, unreached),
    refuse: (ref, call) => ledgerOf(ref).refuse(call, refusal, 1),
    postpone: (ref, call) => ledgerOf(ref).postpone(call, { waitCause: 'credential' }),
    countUnsent: (ref, call) => ledgerOf(ref).countUnsent(call, unreached),
    accept: (ref, call) => ledgerOf(ref).accept(call, accepted),
    miss: (ref, call) => ledgerOf(ref).miss(Object.assign(call, { job: someJob })),
    refuseAsking: (ref, call) => ledgerOf(ref).refuseAsking(call, 1),
    refreshed: (ref, call) => ledgerOf(ref).refreshed(call),
  }
  return { ...ofRuns, ...ofLedger }
}

/** Of a run with a call under way, every act under the epoch is refused, and nothing of it is written. */
async function refusesAll(t: ExecutionContext, late: Late, ref: RunRef & { agentId: string }, call: ToolCall) {
  const before = await recordOf(late, ref)
  for (const [name, act] of Object.entries(actsOf(late))) {
    await t.throwsAsync(act(ref, call.$clone()), { instanceOf: StaleEpochError }, `${name} under epoch ${ref.epoch}`)
    t.deepEqual(await recordOf(late, ref), before, name)
  }
  t.deepEqual(
    late.sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(ref.runId)),
    [],
  )
}

/** A run with a call that an attempt has begun. */
async function underWay(late: Late, tool?: string) {
  const { read, callId, ...rest } = await planned(late, tool)
  const begun = { status: 'started', attempts: 1, startedAt: new Date() }
  await late.services.database('toolCalls').where({ id: callId }).update(begun)
  return { ...rest, callId, read, call: await read() }
}

test('when a run was taken up again, every act under the epoch before is refused and changes nothing', async (t) => {
  const late = await house()
  const { run, call } = await underWay(late)
  await takeUpAgain(late.services, run)
  await refusesAll(t, late, run, call)
  await refusesAll(t, late, { ...run, epoch: run.epoch + 2 }, call)
})

test('each of these acts is carried out under the epoch in force', async (t) => {
  const late = await house()
  const { run, read, callId } = await underWay(late)
  for (const [name, act] of Object.entries(actsOf(late)).filter(([one]) => !one.startsWith('end'))) {
    const open = { status: 'started', attempts: 1, forms: 0, waitCause: null, result: null, endedAt: null }
    await late.services.database('toolCalls').where({ id: callId }).update(open)
    await t.notThrowsAsync(act(run, await read()), name)
  }
  await t.notThrowsAsync(late.services.runs.ending.end(run, { status: 'completed', reason: null }))
  t.is((await recordOf(late, run)).run.status, 'completed')
})

test('a forced end raises the epoch, and every act under the one before is refused', async (t) => {
  const late = await house()
  const { database, runs } = late.services
  const { someone, run, call } = await underWay(late)
  t.is((await cancel(someone, run.runId)).body.status, 'running')
  const longAgo = new Date(Date.now() - 3_600_000)
  await database('runs').where({ id: run.runId }).update({ cancelRequestedAt: longAgo })
  await runs.reconciler.reconcileNow(run.agentId)
  const { run: ended, queue } = await recordOf(late, run)
  t.like(ended, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER', epoch: run.epoch + 1 })
  t.like(queue, { unfinished: 0, runningRunId: null })
  await refusesAll(t, late, run, call)
})

test('of an ended run its end is told again under its own epoch, and nothing else happens', async (t) => {
  const late = await house()
  const { run, call, callId } = await underWay(late)
  await late.services.runs.ending.end(run, { status: 'failed', reason: 'TERMINATED' })
  const before = await recordOf(late, run)
  t.like(before.run, { status: 'failed', reason: 'TERMINATED' })
  await late.services.runs.ending.end(run, { status: 'completed', reason: null })
  t.deepEqual(await late.services.runs.steps.advance(run, never), {
    kind: 'end',
    status: 'failed',
    reason: 'TERMINATED',
  })
  await late.services.runs.calls.perform(run, callId, never)
  await createRunLedger(late.services)(run).finish(call, outcome)
  t.deepEqual(await recordOf(late, run), before)
})

/** What a model call comes to that lasts longer than its epoch. */
const answers: Record<string, { script: string; aborted?: true }> = {
  'an answer': { script: '[[say late]]' },
  'a failure for good': { script: '[[fail 400]]' },
  'a failure that may pass': { script: '[[fail 500]]' },
  'being stopped': { script: '[[sleep 60]]', aborted: true },
}

// One after the other: what holds a model call up is a lock of a table.
for (const [what, { script, aborted }] of Object.entries(answers))
  test.serial(`what a model call under an older epoch comes to is not recorded: ${what}`, async (t) => {
    const late = await house()
    const { database, runs } = late.services
    const { run } = await claimed(late, script)
    const stop = new AbortController()
    const release = await hold(database, (trx) => trx.raw('lock table agent_sites in access exclusive mode'))
    const calling = runs.steps.advance(run, stop.signal)
    calling.catch(() => undefined)
    await eventually(10, 'the step is begun', async () =>
      (await recordOf(late, run)).run.stepAttempts === 1 ? true : undefined,
    )
    await takeUpAgain(late.services, run)
    const before = await recordOf(late, run)
    if (aborted) stop.abort()
    await release()
    await t.throwsAsync(calling, { instanceOf: StaleEpochError })
    t.deepEqual(await recordOf(late, run), before)
    t.is(before.run.stepAttempts, 1)
  })

test('runs are claimed in the order of their sequence numbers, whatever their identifiers are', async (t) => {
  const late = await house()
  const { database, runs } = late.services
  const { run } = await claimed(late, 'Report.')
  await runs.ending.end(run, { status: 'completed', reason: null })
  const sequences = [1, 2, 3, 4, 5]
  for (const requestId of sequences.map(String))
    await runs.accept.one({ agentId: run.agentId, trigger: 'webhook', requestId, payload: '{}' })
  // As when they come from several processes whose clocks differ: the later a number, the earlier its identifier.
  await database.raw('update runs set sequence = 1000 - sequence where agent_id = ?', [run.agentId])
  const queued = await database('runs').where({ agentId: run.agentId, status: 'queued' }).orderBy('id', 'desc')
  const claims: string[] = []
  while (claims.length < sequences.length) {
    const next = await runs.queue.claimNext(run.agentId)
    if (!next) break
    claims.push(next.runId)
    await runs.ending.end(next, { status: 'completed', reason: null })
  }
  t.is(await runs.queue.claimNext(run.agentId), null)
  t.deepEqual(
    claims,
    queued.map(({ id }: { id: string }) => id),
  )
})

test('of several queued runs the one that is said to be next is the next to be claimed', async (t) => {
  const late = await house()
  const { agents, runs, why } = late.services
  const { agentId, ...run } = (await claimed(late, 'Report.')).run
  await runs.ending.end({ agentId, ...run }, { status: 'completed', reason: null })
  for (const requestId of ['1', '2', '3'])
    await runs.accept.one({ agentId, trigger: 'webhook', requestId, payload: '{}' })
  const { causes } = await why.ofAgent(await agents.forSender(agentId))
  const next = await runs.queue.claimNext(agentId)
  t.is(causes.find(({ code }) => code === 'WAKE_PENDING')?.runId, next?.runId ?? 'none')
})
