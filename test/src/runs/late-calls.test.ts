import test from 'ava'
import * as vault from '../../../api/vault.ts'
import { later } from '../../../src/clock.ts'
import type { FormField } from '../../../src/forms/form.ts'
import { createRunLedger } from '../../../src/runs/step/call-ledger.ts'
import type { ToolCall } from '../../../src/tools/tool-call.ts'
import { call } from '../../helpers/client.ts'
import { cancel } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { never, openLate, planned, recordOf, type Late } from './open-late.ts'
import { someJob } from '../../helpers/tasks.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/** Temporal may give one call to two workers. Both are of the run's epoch: what tells them apart is the attempt. */
const platformOf = sharedPlatform(test, 'idle')
const house = forWholeFile(test, 'late calls', async (t) => openLate(t, await platformOf()))

type Ledger = ReturnType<ReturnType<typeof createRunLedger>>

const succeeded = { kind: 'succeeded', httpStatus: 200, text: 'late', value: {} } as const
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
const refused = { kind: 'refused', httpStatus: 401, certain: true, text: 'late' } as const

/** What is written of an attempt. `null`: what the function says is true whichever attempt says it. */
const writes: Record<keyof Ledger, null | ((ledger: Ledger, seen: ToolCall) => Promise<unknown>)> = {
  maxRefused: null,
  look: null,
  refreshed: null,
  begin: (ledger, seen) => ledger.begin(seen),
  finish: (ledger, seen) => ledger.finish(seen, succeeded),
  ask: (ledger, seen) => ledger.ask(seen, asking),
  fail: (ledger, seen) => ledger.fail(seen, unreached),
  refuse: (ledger, seen) => ledger.refuse(seen, refused, 1),
  postpone: (ledger, seen) => ledger.postpone(seen, { waitCause: 'credential' }),
  countUnsent: (ledger, seen) => ledger.countUnsent(seen, unreached),
  accept: (ledger, seen) => ledger.accept(seen, accepted),
  miss: (ledger, seen) => ledger.miss(Object.assign(seen, { job: someJob })),
  refuseAsking: (ledger, seen) => ledger.refuseAsking(seen, 1),
}

/** How far the call is when somebody comes who has seen its first attempt begin. */
const meanwhile: Record<string, Record<string, unknown>> = {
  'a newer attempt is under way': { status: 'started', attempts: 2 },
  'a newer attempt was taken back': { status: 'planned', attempts: 2, refused_attempts: 1 },
  'the same attempt was taken back': { status: 'planned', attempts: 1, refused_attempts: 1 },
  'its outcome is on record': { status: 'succeeded', attempts: 1, result: 'first', endedAt: new Date() },
}

test('every write about a call is in the table of writes', (t) => {
  const ledger = createRunLedger({} as Parameters<typeof createRunLedger>[0])({ runId: '', epoch: 1 })
  t.deepEqual(Object.keys(ledger).toSorted(), Object.keys(writes).toSorted())
})

for (const [what, state] of Object.entries(meanwhile))
  test(`an attempt that comes late writes nothing, whatever it is: ${what}`, async (t) => {
    const late = await house()
    const { run, seen } = await startedTwice(late, state)
    const ledger = createRunLedger(late.services)(run)
    const before = await recordOf(late, run)
    t.like(before.calls, [{ status: state.status, attempts: state.attempts }])
    for (const [name, write] of Object.entries(writes)) {
      if (!write) continue
      await write(ledger, seen.$clone())
      t.deepEqual(await recordOf(late, run), before, name)
    }
  })

/** A call as somebody has seen it whose attempt was the first, and as it is by now. */
async function startedTwice(late: Late, state: Record<string, unknown>) {
  const { run, read, callId } = await planned(late)
  const rows = late.services.database('toolCalls').where({ id: callId })
  await rows.clone().update({ status: 'started', attempts: 1, startedAt: new Date() })
  const seen = await read()
  await rows.clone().update(state)
  return { run, seen }
}

test('an attempt that may have taken effect stays in doubt, whatever becomes of later ones', async (t) => {
  const late = await house()
  const { run, read } = await planned(late, 'slow_once')
  const ledger = createRunLedger(late.services)(run)
  async function begin(): Promise<ToolCall> {
    const begun = await ledger.begin(await read())
    if (!begun) throw new Error('there was nothing to begin')
    return begun
  }
  await begin()
  // Nobody knows what became of the first attempt. The site refuses the second one, and the third one as well.
  await ledger.refuse(await begin(), refused, 1)
  await ledger.finish(await begin(), refused)
  t.like(await read(), { attempts: 3, inDoubt: true, status: 'unknown' })
})

test('a call that may have taken effect stays in doubt if its site is disconnected before it is sent again', async (t) => {
  const late = await house()
  const { services } = late
  for (const [state, status] of [
    [{ status: 'started', attempts: 1 }, 'unknown'],
    [{ status: 'planned', attempts: 1, inDoubt: true }, 'unknown'],
    [{ status: 'planned', attempts: 1 }, 'failed'],
  ] as const) {
    const { someone, vaultEntryId, run, callId, read } = await planned(late)
    await services.database('toolCalls').where({ id: callId }).update(state)
    await call(someone, vault.removeFromVault, { params: { entryId: vaultEntryId }, query: { force: 'true' } })
    await services.runs.calls.perform(run, callId, never)
    t.like(await read(), { attempts: 1, status })
  }
})

test('attempts that its site has refused are not among those that a call has', async (t) => {
  const late = await openLate(t, await platformOf())
  const { run, callId, read } = await planned(late)
  await late.services.database('toolCalls').where({ id: callId }).update({ attempts: 2, refusedAttempts: 2 })
  await late.sites.badTools.close()
  const perform = () => late.services.runs.calls.perform(run, callId, never)
  for (const _ of [1, 2]) await t.throwsAsync(perform, { message: /./ })
  await perform()
  t.like(await read(), { attempts: 5, status: 'failed' })
})

test('a site that has refused a call for the twenty-first time has answered it', async (t) => {
  const late = await openLate(t, await platformOf())
  for (const [refusals, status] of [
    [20, 'failed'],
    [19, 'planned'],
  ] as const) {
    const { run, callId, read } = await planned(late, 'limit')
    const { database } = late.services
    await database('toolCalls').where({ id: callId }).update({ attempts: refusals, refusedAttempts: refusals })
    await late.services.runs.calls.perform(run, callId, never)
    t.like(await read(), { status, refusedAttempts: refusals + 1 })
    await database('outgoing_hosts')
      .where({ host: new URL(late.sites.badTools.origin).host })
      .update({ heldUntil: null })
  }
})

test('once its run is to be cancelled, a call is neither looked at nor begun nor sent', async (t) => {
  const late = await house()
  const { services, sites } = late
  const { someone, run, callId } = await planned(late, 'slow_once')
  const ledger = createRunLedger(services)(run)
  const found = await ledger.look(callId)
  if (!found) throw new Error('there was nothing to send')
  // Nobody carries the run out: it stays at work, with the wish on record.
  t.is((await cancel(someone, run.runId)).body.status, 'running')
  const { cancelRequestedAt } = (await recordOf(late, run)).run
  const dueAt = later(cancelRequestedAt as Date, late.platform.config.cancelSeconds)
  t.is((await services.database('dueAgents').where({ agentId: run.agentId, dueAt })).length, 1, 'it is forced in time')
  const before = await recordOf(late, run)
  t.is(await ledger.look(callId), undefined)
  t.is(await ledger.begin(found.call), undefined)
  await services.runs.calls.perform(run, callId, never)
  t.deepEqual(await recordOf(late, run), before)
  t.deepEqual(
    sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(run.runId)),
    [],
  )
})

test('a call is of its own run: under another one it is not there', async (t) => {
  const late = await house()
  const [one, other] = [await planned(late), await planned(late)]
  const before = await recordOf(late, other.run)
  await t.throwsAsync(late.services.runs.calls.perform(one.run, other.callId, never))
  t.deepEqual(await recordOf(late, other.run), before)
})

test('a call that names a site of somebody else is not sent there', async (t) => {
  const late = await house()
  const { sites, services } = late
  const [one, other] = [await planned(late), await planned(late)]
  await services.database('toolCalls').where({ id: one.callId }).update({ vaultEntryId: other.vaultEntryId })
  // As if nothing before had noticed it: the agent has the site as well.
  const site = { agentId: one.run.agentId, vaultEntryId: other.vaultEntryId, position: 1 }
  await services.database('agentSites').insert(site)
  await services.runs.calls.perform(one.run, one.callId, never)
  t.like(await one.read(), { status: 'failed', httpStatus: null })
  t.deepEqual(
    sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(one.run.runId)),
    [],
  )
  const { agentId, ownerId } = one.run
  const { tools } = await services.agents.offerOf(agentId, ownerId)
  t.deepEqual([...new Set(tools.map(({ entryId }) => entryId))], [one.vaultEntryId])
})
