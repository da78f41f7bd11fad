// @promise moves
import test, { type ExecutionContext } from 'ava'
import * as agentRuns from '../../api/agent-runs.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as callbacks from '../../api/callbacks.ts'
import * as calls from '../../api/calls.ts'
import * as moves from '../../api/moves.ts'
import * as notifications from '../../api/notifications.ts'
import { previewReplay } from '../../api/agent-replays.ts'
import * as exported from '../../api/exports.ts'
import * as statements from '../../api/statements.ts'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import * as why from '../../api/why.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { newId } from '../../src/ids.ts'
import { roles } from '../../src/owners/roles.ts'
import { createBackfill } from '../../src/schedules/fires/backfill.ts'
import { call, type Client } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import {
  agentOf,
  connectBadTools,
  customer,
  deliver,
  ended,
  person,
  webhookAgent,
  type Person,
} from '../helpers/people.ts'
import { runsOf } from '../helpers/runs.ts'
import { firesOf, openSchedules, scheduledAgent } from '../helpers/schedules.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { current, sessionOf } from '../helpers/sessions.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* Agents and sites that are moved between owners. */

const house = sharedPlatform(test)

/** A member who has things alone, and a workspace of somebody else. */
async function open(t: ExecutionContext) {
  const platform = await house()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await newOwner(t, platform)
  const userId = await userIdOf(member)
  await join(platform, workspaceId, member, 'member')
  return { platform, database: platform.services.database, owner, member, userId, workspaceId }
}

type Things = { agentIds?: string[]; entryIds?: string[]; workspaceId?: string }
const move = (by: Client, body: Things) => call(by, moves.moveThings, { body })
/** 200, or the code of the refusal. */
const outcomeOf = async (by: Client, body: Things) => {
  const answer = await move(by, body)
  return answer.status === 200 ? 200 : answer.failure.code
}

const seen = async (by: Client, agentId: string) =>
  (await call(by, agents.getAgent, { params: { agentId } })).status === 200

test('an agent and its sites change hands in one step, with their address, secret and tools', async (t) => {
  const { platform, owner, member, userId, workspaceId } = await open(t)
  const site = await member.site()
  const script = { systemPrompt: '[[call slow_once {"seconds":0}]] [[then]] [[say Done.]]' }
  const agent = await webhookAgent(member, { ...script, sites: [{ vaultEntryId: site.vaultEntryId }] })
  const key = { name: 'Key', scopes: ['read' as const, 'write' as const] }
  const { key: token } = (await call(member, apiKeys.createApiKey, { body: key })).body
  const { vaultEntryId: kept } = await member.site()
  const session = await sessionOf(member, { sites: [{ vaultEntryId: site.vaultEntryId }, { vaultEntryId: kept }] })
  const things = { agentIds: [agent.id], entryIds: [site.vaultEntryId] }
  t.is(await outcomeOf({ ...member, token }, { ...things, workspaceId }), 'PERMISSION_DENIED', 'no key moves anything')
  t.true(await seen({ ...member, token }, agent.id))

  const moved = await move(member, { ...things, agentIds: [agent.id, agent.id], workspaceId })
  t.deepEqual(moved.body, { ownerId: workspaceId, ...things })
  t.false(await seen({ ...member, token }, agent.id), 'a key of the former owner loses it at once')
  t.true(await seen(member, agent.id))
  const { body } = await call(owner, agents.getAgent, { params: { agentId: agent.id } })
  const { webhookSecret, webhookUrl } = agent
  t.like(body, { ownerId: workspaceId, webhookSecret, webhookUrl, createdBy: userId })
  const delivered = await deliver(platform, agent, { n: 1 })
  t.like(await ended(owner, delivered.body.runId), { status: 'completed', ownerId: workspaceId, toolCalls: 1 })
  t.is(await outcomeOf(member, { ...things, workspaceId }), 200, 'again')
  t.is((await move(member, things)).body.ownerId, userId)
  t.false(await seen(owner, agent.id))
  const left = (await current(member, session.token)).body.sites
  t.like(left, { 0: { vaultEntryId: kept }, length: 1 }, 'a session does not get the site back, and keeps its others')
  const log = platform.services.database('audit_entries').where({ subjectId: site.vaultEntryId, action: 'moveThings' })
  const owners: string[] = await log.pluck('owner_id')
  t.deepEqual(
    owners.toSorted(),
    [userId, userId, workspaceId, workspaceId].toSorted(),
    'both have each move in the log',
  )
})

test('what was done for the former owner stays there, and is not shown to the new one', async (t) => {
  const { owner, member, userId, workspaceId } = await open(t)
  const { vaultEntryId: entryId } = await member.site()
  const old = { callbackUrl: 'https://hooks.example.com/old', sites: [{ vaultEntryId: entryId }] }
  const agent = await agentOf(member, old)
  const params = { agentId: agent.id }
  const headers = { 'idempotency-key': 'same' }
  const runNow = (by: Client) => call(by, agentRuns.startRun, { params, headers })
  const tool = { params: { entryId, toolName: 'slow_once' }, body: { seconds: 0 }, headers }
  const callTool = () => call(member, vault.callTool, tool)
  const { id: runId } = (await runNow(member)).body
  await ended(member, runId)
  const { callId } = (await callTool()).body
  await move(member, { agentIds: [agent.id], entryIds: [entryId], workspaceId })
  const renamed = { name: 'Secret plans', callbackUrl: 'https://new.example.com/' }
  await call(owner, agents.updateAgent, { params, body: renamed })

  t.deepEqual(await runsOf(owner, agent), [])
  t.is((await call(owner, agents.getAgent, { params })).body.lastRun, null)
  t.deepEqual((await call(owner, callbacks.listCallbacks, { params })).body.items, [])
  t.deepEqual((await call(owner, calls.listCalls, { params: { entryId } })).body.items, [])
  t.is((await call(owner, calls.getCall, { params: { entryId, callId } })).failure.code, 'NOT_FOUND')
  t.is((await call(owner, runs.getRun, { params: { runId } })).failure.code, 'RUN_NOT_FOUND')
  t.is((await call(owner, why.whyAgent, { params })).body.state, 'idle')
  const mine = (await call(member, exported.exportAccount)).body.calls ?? []
  t.like(mine, [{ id: callId, vaultEntryId: entryId, arguments: '{"seconds":0}' }])
  t.deepEqual((await call(owner, exported.exportWorkspace, { params: { workspaceId } })).body.calls, [])
  // A key names a request of the former owner: neither its outcome is told, nor is it done again.
  for (const { failure } of [await runNow(member), await callTool()]) {
    t.is(failure.code, 'VALIDATION_ERROR')
    t.regex(failure.error, /moved here/)
  }
  const own = (await call(owner, agentRuns.startRun, { params })).body
  await ended(owner, own.id)
  t.like(await runsOf(owner, agent), { 0: { id: own.id, sequence: 2 }, length: 1 })

  const month = new Date().toISOString().slice(0, 7)
  const { body: used } = await call(owner, statements.getAgentStatement, { params: { ...params, month } })
  t.deepEqual(
    used.lines.map((line) => line.runId),
    [own.id],
  )

  // The former owner keeps the run, and learns nothing of what became of the agent.
  const { lines } = (await call(member, statements.getStatement, { params: { month } })).body
  t.like(
    lines.find(({ agentId }) => agentId === agent.id),
    { kind: 'step', agentName: null },
  )
  t.is((await call(member, runs.getRun, { params: { runId } })).body.ownerId, userId)
  const { summary } = (await call(member, why.whyRun, { params: { runId } })).body
  t.false(summary.includes('Secret plans'), summary)
  t.is((await call(member, callbacks.getCallback, { params: { runId } })).body.url, old.callbackUrl)
  const again = await call(member, callbacks.retryCallback, { params: { runId } })
  t.is(again.failure.code, 'NOT_FOUND', 'it would be posted to the new owner')
  const replayed = await call(member, runs.replayRun, { params: { runId } })
  t.is(replayed.failure.code, 'AGENT_NOT_FOUND', 'it would be at the cost of the new owner')
})

test('failed deliveries of the former owner are not replayed for the new one', async (t) => {
  const { platform, owner, member, workspaceId } = await open(t)
  const agent = await webhookAgent(member, { systemPrompt: '[[say Done.]]' })
  async function fail(by: Person) {
    const { runId } = (await deliver(platform, agent, { by: by.token })).body
    await ended(by, runId)
    await platform.services.database('runs').where({ id: runId }).update({ status: 'failed', reason: 'MODEL_ERROR' })
  }
  await fail(member)
  await move(member, { agentIds: [agent.id], workspaceId })
  const replays = async () => (await call(owner, previewReplay, { params: { agentId: agent.id } })).body
  t.like(await replays(), { replays: 0 })
  await fail(owner)
  t.like(await replays(), { replays: 1 })
})

test('a run that fails is the first one for the new owner, however many failed before', async (t) => {
  const { owner, member, userId, workspaceId } = await open(t)
  const agent = await agentOf(member, { systemPrompt: '[[fail 400]]' })
  const toldBy = async (someone: Person) => {
    const { body } = await call(someone, agentRuns.startRun, { params: { agentId: agent.id } })
    t.is((await ended(someone, body.id)).status, 'failed')
    const place = body.ownerId === userId ? {} : { workspaceId }
    const query = { ...place, kind: 'agent_failing' as const }
    return (await call(someone, notifications.listNotifications, { query })).body.items.length
  }
  t.deepEqual([await toldBy(member), await toldBy(member)], [1, 1])
  await move(member, { agentIds: [agent.id], workspaceId })
  t.deepEqual([await toldBy(owner), await toldBy(owner)], [1, 1])
})

test('an agent and the sites that it uses are not parted, and the refusal says what belongs together', async (t) => {
  const { member, workspaceId } = await open(t)
  const [first, second] = [(await member.site()).vaultEntryId, (await member.site()).vaultEntryId]
  const one = await agentOf(member, { sites: [{ vaultEntryId: first }, { vaultEntryId: second }] })
  const two = await agentOf(member, { sites: [{ vaultEntryId: first }] })
  const { failure: without } = await move(member, { agentIds: [one.id], entryIds: [second], workspaceId })
  t.like(without, { code: 'VALIDATION_ERROR', details: { 0: { path: 'entryIds' }, length: 1 } })
  t.true(without.error.includes(`Also move the vault entry ${first}`), without.error)
  const both = { agentIds: [one.id], entryIds: [second, first], workspaceId }
  const { failure } = await move(member, both)
  t.true(failure.error.includes(`Also move the agent ${two.id}`), failure.error)
  t.true(await seen(member, one.id))
  await call(member, agents.deleteAgent, { params: { agentId: two.id } })
  t.is(await outcomeOf(member, both), 200)
})

test('the permission table holds at both ends, and what one may not see is not there', async (t) => {
  const { platform, owner, workspaceId } = await open(t)
  for (const role of roles.filter((one) => one !== 'owner')) {
    const someone = await memberOf(platform, workspaceId, role)
    const [own, shared] = [await agentOf(someone), await agentOf(owner, { workspaceId })]
    const expected = role === 'viewer' ? 'PERMISSION_DENIED' : 200
    t.is(await outcomeOf(someone, { agentIds: [own.id], workspaceId }), expected, role)
    t.is(await outcomeOf(someone, { agentIds: [shared.id] }), expected, role)
  }
  const outsider = await person(platform)
  const [own, shared] = [await agentOf(outsider), await agentOf(owner, { workspaceId })]
  const many = Array.from({ length: 60 }, () => newId())
  const refused: [Things, ErrorCode][] = [
    ...[shared.id, newId(), 'no-id'].map((id): [Things, ErrorCode] => [{ agentIds: [own.id, id] }, 'AGENT_NOT_FOUND']),
    ...[newId(), 'no-id'].map((id): [Things, ErrorCode] => [{ entryIds: [id] }, 'NOT_FOUND']),
    [{ agentIds: [own.id], workspaceId }, 'WORKSPACE_NOT_FOUND'],
    [{}, 'VALIDATION_ERROR'],
    [{ agentIds: many, entryIds: many }, 'VALIDATION_ERROR'],
  ]
  for (const [things, code] of refused) t.is(await outcomeOf(outsider, things), code, JSON.stringify(things))
})

test('the limits of whoever pays at the target count, and one site is connected once', async (t) => {
  const { platform, owner, member, userId, workspaceId } = await open(t)
  const free = await memberOf(platform, workspaceId, 'member')
  const ids: string[] = []
  for (let count = 0; count < 4; count += 1) ids.push((await agentOf(owner, { workspaceId })).id)
  t.is(await outcomeOf(free, { agentIds: ids }), 'AGENT_LIMIT_REACHED')
  t.is(await outcomeOf(free, { agentIds: ids.slice(1) }), 200)
  const hooked = await webhookAgent(owner, { workspaceId })
  t.is(await outcomeOf(free, { agentIds: [hooked.id] }), 'TIER_REQUIRED')
  const site = await member.site()
  const shared = await connectBadTools(owner, { badTools: site }, { workspaceId })
  t.is(await outcomeOf(member, { entryIds: [shared] }), 'TOKEN_EXISTS')
  await call(member, vault.removeFromVault, { params: { entryId: site.vaultEntryId } })
  const limit = (ownerId: string, limits: string | null) =>
    platform.services.database('accounts').where({ ownerId }).update({ limits })
  await limit(userId, '{"vaultSites":0}')
  t.is(await outcomeOf(member, { entryIds: [shared] }), 'VAULT_LIMIT_REACHED')
  await limit(userId, null)
  t.is((await move(member, { entryIds: [shared] })).body.ownerId, userId)
  const { connectedBy } = (await call(member, vault.getVaultEntry, { params: { entryId: shared } })).body
  t.is(connectedBy, userId, 'whoever connected it is not there')
  // The same account pays: nothing is counted, and nothing is full.
  const other = await workspaceOf(owner, 'Other')
  await limit(await userIdOf(owner), '{"vaultSites":1}')
  await join(platform, other.id, member, 'member')
  const theirs = await connectBadTools(member, { badTools: site }, { workspaceId })
  const queue = platform.services.database('agent_queues').where({ agentId: hooked.id })
  await queue.clone().update({ blockedCause: 'credits', blockedSince: new Date() })
  const both = { agentIds: [hooked.id], entryIds: [theirs] }
  t.is(await outcomeOf(owner, { ...both, workspaceId: other.id }), 200)
  t.like(await queue.first(), { blockedCause: null, blockedSince: null }, 'who pays may be another one')
  const { body } = await call(owner, vault.getVaultEntry, { params: { entryId: theirs } })
  t.is(body.connectedBy, userId, 'whoever connected it is there, too')
  const full = await call(owner, vault.addToVault, { body: { url: site.origin, token: 'any-token' } })
  t.is(full.failure.code, 'VAULT_LIMIT_REACHED', 'sites of workspaces count for whoever pays')
})

test('an agent with unfinished runs is not moved, whether they run or wait', async (t) => {
  const { platform, member, workspaceId } = await open(t)
  const agent = await webhookAgent(member, { systemPrompt: '[[say Done.]]' })
  const params = { agentId: agent.id }
  await call(member, agents.pauseAgent, { params })
  const { runId } = (await deliver(platform, agent, {})).body
  t.is(await outcomeOf(member, { agentIds: [agent.id], workspaceId }), 'AGENT_ALREADY_RUNNING')
  await call(member, agents.resumeAgent, { params })
  await ended(member, runId)
  t.is(await outcomeOf(member, { agentIds: [agent.id], workspaceId }), 200)
})

test('a schedule goes on for the new owner, who sees the fires since', async (t) => {
  const { platform, database, owner, member, userId, workspaceId } = await open(t)
  const inTemporal = openSchedules(t)
  const agent = await scheduledAgent(member, { cron: '* * * * *' })
  await inTemporal.until(agent, 'is there', (found) => found !== undefined)
  await move(member, { agentIds: [agent.id], workspaceId })
  await inTemporal.until(agent, 'names the workspace', (found) => JSON.stringify(found ?? '').includes(workspaceId))
  const at = (ms: number) => new Date(Date.now() + ms)
  // By processes whose clocks are ahead of and behind the one that has moved it.
  const [before, since] = [at(-7_200_000), at(-7_140_000)]
  const fire = { agentId: agent.id, outcome: 'missed', reason: 'LATE' }
  await database('scheduleFires').insert([
    { ...fire, ownerId: userId, nominalAt: before, recordedAt: at(3_600_000) },
    { ...fire, ownerId: workspaceId, nominalAt: since, recordedAt: at(-3_600_000) },
  ])
  const missed = (await firesOf(owner, agent)).filter(({ outcome }) => outcome === 'missed')
  t.like(missed, { 0: { at: since.toISOString() }, length: 1 })
  // Owners are told once no more fires have been missed for a while.
  const recorded = { recordedAt: at(-60_000) }
  await database('scheduleFires').where({ agentId: agent.id }).update(recorded)
  await createBackfill(platform.services).notifyMissed()
  const query = { workspaceId, kind: 'schedule_missed' as const }
  const told = (await call(owner, notifications.listNotifications, { query })).body.items
  t.deepEqual(
    told.map(({ title }) => title),
    ['A schedule missed a run: agent “An agent”'],
  )
  await call(owner, agents.deleteAgent, { params: { agentId: agent.id } })
})

test('what is changed at the old place after a move is refused, also by a request that was under way', async (t) => {
  const { platform, member, workspaceId } = await open(t)
  const { services } = platform
  const agent = await agentOf(member, { callbackUrl: 'https://hooks.example.com/runs' })
  const found = await services.agents.forSender(agent.id)
  await move(member, { agentIds: [agent.id], workspaceId })
  const withSites = Object.assign(found, { sites: [] })
  const late: (() => Promise<unknown>)[] = [
    () => services.agents.update(withSites, { name: 'Mine' }),
    () => services.agents.pause(withSites),
    () => services.agents.resume(withSites),
    () => services.agents.rotateCallbackSecret(withSites),
    () => services.agents.remove(withSites),
    () => services.agents.rotateSecret(withSites, { overlapSeconds: 0 }),
    () => services.runs.accept.startManually(found, { id: newId(), idempotencyKey: undefined, input: undefined }),
  ]
  for (const change of late) await t.throwsAsync(change(), { code: 'AGENT_NOT_FOUND' })
  const { body } = await call(member, agents.getAgent, { params: { agentId: agent.id } })
  const { name, callbackSecret } = agent
  t.like(body, { name, callbackSecret, pausedAt: null, lastRun: null })
})
