import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as needs from '../../api/needs.ts'
import * as workspaces from '../../api/workspaces.ts'
import { idAt, newId } from '../../src/ids.ts'
import { readDeliveries, readEndings } from '../../src/needs/read-agents.ts'
import type { AgentState } from '../../src/needs/agent-state.ts'
import { sealCredential } from '../../src/vault/credential.ts'
import { pendingApproval } from '../helpers/approvals.ts'
import { call, type Client } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { looksAt } from '../src/database/looks.ts'

/* What each item says is tested with the rules; here is that what happens is found. */

const platformOf = sharedPlatform(test, 'idle')

const hour = 3_600_000
const day = 24 * hour

const needsOf = async (someone: Client, query: Record<string, string> = {}) =>
  (await call(someone, needs.getNeeds, { query })).body

/** A tenant, and another one who must see nothing of it. */
async function open(t: Parameters<typeof newOwner>[0], platform: Platform) {
  const owner = await newOwner(t, platform)
  const stranger = await customer(platform)
  const nothingElsewhere = async () => t.deepEqual((await needsOf(stranger)).items, [])
  return { owner, nothingElsewhere, database: platform.services.database }
}

interface Made {
  at: number
  status?: 'completed' | 'failed'
  reason?: string
  trigger?: 'webhook' | 'manual'
}

/** Writes ended runs of an agent, oldest first. */
async function runsOf({ services: { database } }: Platform, agent: { id: string; ownerId: string }, made: Made[]) {
  const rows = made.map(({ at, status = 'completed', reason, trigger = 'webhook' }, index) => {
    const time = new Date(at)
    const times = { acceptedAt: time, progressedAt: time, endedAt: time }
    const of = { id: idAt(time), agentId: agent.id, ownerId: agent.ownerId, sequence: index + 1, requestId: 'r' }
    return { ...of, ...times, status, trigger, reason: reason ?? null }
  })
  for (let from = 0; from < rows.length; from += 1000) await database('runs').insert(rows.slice(from, from + 1000))
  await database('agent_queues').where({ agentId: agent.id }).update({ lastSequence: rows.length })
  return rows
}

test('a paused agent with deliveries needs a person until it is resumed', async (t) => {
  const { owner, nothingElsewhere } = await open(t, await platformOf())
  const agent = await owner.webhookAgent({ name: 'Sorter' })
  const params = { agentId: agent.id }
  await call(owner, agents.pauseAgent, { params })
  t.deepEqual((await needsOf(owner)).items, [])
  const { runId } = (await owner.deliver(agent, {})).body
  await owner.deliver(agent, {})
  const answer = await needsOf(owner)
  t.is(answer.items.length, 1)
  t.like(answer.items[0], { kind: 'blocked', agentId: agent.id, agentName: 'Sorter', runId, count: 2 })
  t.like(answer.runs, { running: 0, waiting: 0, queued: 2 })
  await nothingElsewhere()
  await call(owner, agents.resumeAgent, { params })
  t.deepEqual((await needsOf(owner)).items, [])
})

test('runs without credits need a person, and so do agents that could not start', async (t) => {
  const { owner, nothingElsewhere, database } = await open(t, await platformOf())
  const agent = await owner.webhookAgent()
  const { runId } = (await owner.deliver(agent, {})).body
  await owner.agent()
  const ownerId = await userIdOf(owner)
  await database('accounts').where({ ownerId }).update({ balance: 0 })
  const { items } = await needsOf(owner)
  t.deepEqual(
    items.map(({ kind, agentId, runId: of, count }) => [kind, agentId, of, count]),
    [
      ['blocked', agent.id, runId, 1],
      ['blocked', items[1]?.agentId, null, 0],
    ],
  )
  t.true(items.every(({ message }) => message.includes('you have no credits left')))
  await nothingElsewhere()
})

test('an agent whose last runs failed needs a person', async (t) => {
  const platform = await platformOf()
  const { owner, nothingElsewhere } = await open(t, platform)
  const agent = await owner.agent({ name: 'Broken' })
  const reasons = ['OUTPUT_INVALID', 'BUDGET_TIME', 'OUTPUT_INVALID']
  const rows = await runsOf(platform, agent, [
    { at: Date.now() - 20 * day, status: 'failed', reason: 'MODEL_ERROR' },
    { at: Date.now() - 30_000 },
    ...reasons.map((reason, index) => ({ at: Date.now() - 20_000 + index, status: 'failed' as const, reason })),
  ])
  const { items, runs } = await needsOf(owner)
  t.is(items.length, 1)
  t.like(items[0], {
    kind: 'failing',
    agentId: agent.id,
    runId: rows[4]?.id,
    since: rows[2]?.endedAt.toISOString(),
    count: 3,
  })
  t.regex(items[0]?.message ?? '', /did not match the agent's output schema/)
  // A test that runs at midnight may have failed them yesterday.
  t.true(runs.failedToday <= 3 && runs.completedToday <= 1)
  if (new Date().getUTCHours() > 0) t.like(runs, { failedToday: 3, completedToday: 1 })
  await nothingElsewhere()
})

/** Deliveries every ten minutes for three weeks, with the last one the given hours ago. */
function steady(quietHours: number): Made[] {
  const last = Date.now() - quietHours * hour
  return Array.from({ length: 3 * 7 * 24 * 6 }, (_, index) => ({ at: last - index * 10 * 60_000 })).toReversed()
}

test('an agent that no longer gets its usual deliveries needs a person', async (t) => {
  const platform = await platformOf()
  const { owner, nothingElsewhere } = await open(t, platform)
  const [silent, busy, paused] = [await owner.webhookAgent(), await owner.webhookAgent(), await owner.webhookAgent()]
  const rows = await runsOf(platform, silent, steady(7))
  await runsOf(platform, busy, steady(1))
  await runsOf(platform, paused, steady(7))
  await call(owner, agents.pauseAgent, { params: { agentId: paused.id } })
  const { items } = await needsOf(owner)
  t.is(items.length, 1)
  t.like(items[0], { kind: 'silent', agentId: silent.id, since: rows.at(-1)?.acceptedAt.toISOString() })
  t.true((items[0]?.count ?? 0) >= 5)
  await nothingElsewhere()
  // With a run in its queue, it is not silent.
  await owner.deliver(silent, {})
  t.deepEqual((await needsOf(owner)).items, [])
})

test('however many runs an agent has, few of them are read', async (t) => {
  const platform = await platformOf()
  const { owner, database } = await open(t, platform)
  const agent = await owner.webhookAgent()
  const rows = await runsOf(platform, agent, steady(7))
  await database.raw('analyze runs')
  const state = { ...agent, movedSequence: null, lastSequence: rows.length, first: null } as unknown as AgentState
  const looks = await looksAt(database, 'runs', async () => {
    t.is((await readEndings(database as never, [state], new Date())).get(agent.id)?.length, 10)
    const found = (await readDeliveries(database as never, [state], new Date())).get(agent.id)
    t.is(found?.oneWeekBefore.length, 43)
    t.is(found?.twoWeeksBefore.length, 43)
  })
  t.true(looks < 300, `${looks} of ${rows.length} rows`)
})

test('a pending approval needs a person, and is counted', async (t) => {
  const platform = await platformOf()
  const { owner, nothingElsewhere, database } = await open(t, platform)
  const agent = await owner.agent({ name: 'Careful' })
  const [run] = await runsOf(platform, agent, [{ at: Date.now(), trigger: 'manual' }])
  const of = { ownerId: agent.ownerId, runId: run?.id ?? '', agentId: agent.id }
  const [first, second, late] = [
    await pendingApproval(platform, of),
    await pendingApproval(platform, of),
    await pendingApproval(platform, of),
  ]
  await database('approvals')
    .where({ id: late.id })
    .update({ expiresAt: new Date(Date.now() - 1000) })
  const { items, approvals } = await needsOf(owner)
  t.deepEqual(new Set(items.map(({ approvalId }) => approvalId)), new Set([first.id, second.id]))
  t.like(items[0], { kind: 'approval', agentId: agent.id, agentName: 'Careful', runId: run?.id, count: 1 })
  t.regex(items[0]?.message ?? '', /^Run 1 of “Careful” wants to call “act” at https:\/\/site\.example\.com/)
  t.deepEqual(approvals, { pending: 2, oldestRequestedAt: first.requestedAt.toISOString() })
  await nothingElsewhere()
})

test('a credential that has ended, or that ends without a refresh token, needs a person', async (t) => {
  const platform = await platformOf()
  const { owner, nothingElsewhere, database } = await open(t, platform)
  const { vaultEntryId: id, origin } = await owner.site()
  const set = (fields: object) => database('vault_entries').where({ id }).update(fields)
  const found = async () => (await needsOf(owner)).items
  t.deepEqual(await found(), [])
  const expiresAt = new Date(Date.now() + 2 * day)
  const grant = (refreshToken?: string) => {
    const sealed = { id, authType: 'oauth2' as const }
    const credential = sealCredential(platform.services.sealing, sealed, { accessToken: 'any', refreshToken })
    return set({ authType: 'oauth2', expiresAt, credential })
  }
  await grant('any')
  t.deepEqual(await found(), [])
  await grant()
  const ends = await found()
  t.is(ends.length, 1)
  t.like(ends[0], { kind: 'credential', vaultEntryId: id, site: origin, since: null, until: expiresAt.toISOString() })
  await set({ status: 'needs_reauth', statusReason: 'The grant was revoked.' })
  const ended = await found()
  t.is(ended.length, 1)
  t.like(ended[0], { kind: 'credential', vaultEntryId: id, until: null })
  t.regex(ended[0]?.message ?? '', /must be reconnected\. The grant was revoked\.$/)
  await nothingElsewhere()
})

test('a model that is out needs a person who has an agent that uses it', async (t) => {
  const platform = await startPlatform(t)
  const { owner, nothingElsewhere, database } = await open(t, platform)
  const agent = await owner.agent()
  const beganAt = new Date(Date.now() - 60_000)
  const times = { beganAt, lastFailedAt: beganAt, nextProbeAt: new Date(Date.now() + day) }
  await database('model_outages').insert({ id: newId(), model: 'large', message: 'No answer.', ...times })
  t.deepEqual((await needsOf(owner)).items, [])
  await database('agents').where({ id: agent.id }).update({ model: 'large' })
  const { items } = await needsOf(owner)
  t.is(items.length, 1)
  t.like(items[0], { kind: 'model', model: 'large', since: beganAt.toISOString(), agentId: null, count: 0 })
  await nothingElsewhere()
})

test('credits are counted by day, for an account with its workspaces and for a workspace alone', async (t) => {
  const platform = await platformOf()
  const { database, billing } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const ownerId = await userIdOf(owner)
  const charge = (of: string, credits: number) =>
    database.transaction((trx) =>
      billing.credits.chargeStep(trx, { ownerId: of, runId: newId(), step: 1, credits, tokens: 0 }),
    )
  await charge(ownerId, 5)
  await charge(ownerId, 2)
  await charge(workspaceId, 30)
  const capped = { params: { workspaceId }, body: { creditsPerMonth: 400 } }
  await call(owner, workspaces.updateWorkspace, capped)
  const own = (await needsOf(owner)).credits
  t.deepEqual(own, { today: 37, usualPerDay: null, thisMonth: 37, monthlyCap: null })
  const viewer = await memberOf(platform, workspaceId, 'viewer')
  const shared = (await needsOf(viewer, { workspaceId })).credits
  t.deepEqual(shared, { today: 30, usualPerDay: null, thisMonth: 30, monthlyCap: 400 })
  const other = await call(await customer(platform), needs.getNeeds, { query: { workspaceId } })
  t.is(other.failure.code, 'WORKSPACE_NOT_FOUND')
})

test('the usual credits of a day come from the fourteen days before, across the end of a month', async (t) => {
  const { services } = await platformOf()
  const owner = await customer(await platformOf())
  const id = await userIdOf(owner)
  const before = Array.from({ length: 15 }, (_, index) => new Date(Date.now() - (15 - index) * day))
  for (const [index, at] of before.entries()) {
    const month = `${at.toISOString().slice(0, 7)}-01`
    await services.database.raw(
      `insert into credit_months as known (subject_id, month, credits, tokens, days[?::int]) values (?, ?, 1, 0, ?::bigint)
       on conflict (subject_id, month) do update set days[?::int] = ?::bigint`,
      [at.getUTCDate(), id, month, index * 10, at.getUTCDate(), index * 10],
    )
  }
  const days = await services.billing.usage.daysOf('accounts', id)
  t.deepEqual(days, [...Array.from({ length: 14 }, (_, index) => (index + 1) * 10), 0])
  t.is((await needsOf(owner)).credits.usualPerDay, 75)
})
