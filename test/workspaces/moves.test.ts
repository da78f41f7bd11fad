// @promise moves
import test from 'ava'
import * as agentRuns from '../../api/agent-runs.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as callbacks from '../../api/callbacks.ts'
import * as calls from '../../api/calls.ts'
import * as moves from '../../api/moves.ts'
import * as notifications from '../../api/notifications.ts'
import { previewReplay } from '../../api/agent-replays.ts'
import * as exported from '../../api/exports.ts'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import * as why from '../../api/why.ts'
import { newId } from '../../src/ids.ts'
import { roles } from '../../src/owners/roles.ts'
import { createBackfill } from '../../src/schedules/fires/backfill.ts'
import { call, type Client } from '../helpers/client.ts'
import {
  agentOf,
  connectBadTools,
  connectTracker,
  customer,
  deliver,
  ended,
  person,
  type Person,
} from '../helpers/people.ts'
import { webhookAgent } from '../helpers/people.ts'
import { openStage, runsOf } from '../helpers/runs.ts'
import { firesOf, openSchedules, scheduledAgent } from '../helpers/schedules.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* Agents and sites that are moved between owners. */

const stage = forWholeFile(test, 'moves', (t) => openStage(t))

/** A member who has things alone, and a workspace of somebody else. */
async function open() {
  const { platform, sites } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await customer(platform)
  await join(platform, workspaceId, member, 'member')
  return { platform, sites, owner, member, workspaceId }
}

type Things = { agentIds?: string[]; entryIds?: string[]; workspaceId?: string }
const move = (by: Client, body: Things) => call(by, moves.moveThings, { body })

const seen = async (by: Client, agentId: string) =>
  (await call(by, agents.getAgent, { params: { agentId } })).status === 200

test('an agent and its sites change hands in one step, with their address, secret and tools', async (t) => {
  const { platform, sites, owner, member, workspaceId } = await open()
  const entryId = await connectBadTools(member, sites)
  const script = { systemPrompt: '[[call slow_once {"seconds":0}]] [[then]] [[say Done.]]' }
  const agent = await webhookAgent(member, { ...script, sites: [{ vaultEntryId: entryId }] })
  const moved = await move(member, { agentIds: [agent.id, agent.id], entryIds: [entryId], workspaceId })
  t.deepEqual(moved.body, { ownerId: workspaceId, agentIds: [agent.id], entryIds: [entryId] })
  const { body } = await call(owner, agents.getAgent, { params: { agentId: agent.id } })
  t.like(body, { ownerId: workspaceId, webhookSecret: agent.webhookSecret, webhookUrl: agent.webhookUrl })
  t.is(body.createdBy, await userIdOf(member))
  const delivered = await deliver(platform, agent, { n: 1 })
  t.like(await ended(owner, delivered.body.runId), { status: 'completed', ownerId: workspaceId, toolCalls: 1 })
  t.is((await move(member, { agentIds: [agent.id], entryIds: [entryId], workspaceId })).status, 200, 'again')
  t.is((await move(member, { agentIds: [agent.id], entryIds: [entryId] })).body.ownerId, await userIdOf(member))
  t.false(await seen(owner, agent.id))
})

test('what was done for the former owner stays there, and is not shown to the new one', async (t) => {
  const { sites, owner, member, workspaceId } = await open()
  const entryId = await connectBadTools(member, sites)
  const agent = await agentOf(member, {
    callbackUrl: 'https://hooks.example.com/old',
    sites: [{ vaultEntryId: entryId }],
  })
  const params = { agentId: agent.id }
  const runNow = (by: Client, key: string) =>
    call(by, agentRuns.startRun, { params, headers: { 'idempotency-key': key } })
  const old = (await runNow(member, 'same')).body
  await ended(member, old.id)
  const callTool = (key: string) =>
    call(member, vault.callTool, {
      params: { entryId, toolName: 'slow_once' },
      body: { seconds: 0 },
      headers: { 'idempotency-key': key },
    })
  const { callId } = (await callTool('same')).body
  await move(member, { agentIds: [agent.id], entryIds: [entryId], workspaceId })
  await call(owner, agents.updateAgent, {
    params,
    body: { name: 'Secret plans', callbackUrl: 'https://new.example.com/' },
  })

  t.deepEqual(await runsOf(owner, agent), [])
  t.is((await call(owner, agents.getAgent, { params })).body.lastRun, null)
  t.deepEqual((await call(owner, callbacks.listCallbacks, { params })).body.items, [])
  t.deepEqual((await call(owner, calls.listCalls, { params: { entryId } })).body.items, [])
  t.is((await call(owner, calls.getCall, { params: { entryId, callId } })).failure.code, 'NOT_FOUND')
  const mine = (await call(member, exported.exportAccount)).body.calls ?? []
  t.like(mine, [{ id: callId, vaultEntryId: entryId, arguments: '{"seconds":0}' }])
  t.deepEqual((await call(owner, exported.exportWorkspace, { params: { workspaceId } })).body.calls, [])
  t.is((await call(owner, runs.getRun, { params: { runId: old.id } })).failure.code, 'RUN_NOT_FOUND')
  const state = (await call(owner, why.whyAgent, { params })).body
  t.is(state.state, 'idle')
  // A key names a request of the former owner: neither its outcome is told, nor is it done again.
  for (const { failure } of [await runNow(member, 'same'), await callTool('same')])
    t.like(failure, { code: 'VALIDATION_ERROR', error: failure.error.match(/.*moved here.*/)?.[0] ?? 'another text' })
  const own = (await runNow(owner, 'other')).body
  await ended(owner, own.id)
  t.deepEqual(
    (await runsOf(owner, agent)).map(({ id, sequence }) => [id, sequence]),
    [[own.id, 2]],
  )

  // The former owner keeps the run, and learns nothing of what became of the agent.
  t.is((await call(member, runs.getRun, { params: { runId: old.id } })).body.ownerId, await userIdOf(member))
  const { summary } = (await call(member, why.whyRun, { params: { runId: old.id } })).body
  t.false(summary.includes('Secret plans'), summary)
  t.is((await call(member, callbacks.getCallback, { params: { runId: old.id } })).body.url, agent.callbackUrl ?? '')
  const again = await call(member, callbacks.retryCallback, { params: { runId: old.id } })
  t.is(again.failure.code, 'NOT_FOUND', 'it would be posted to the new owner')
})

test('failed deliveries of the former owner are not replayed for the new one', async (t) => {
  const { platform, owner, member, workspaceId } = await open()
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

test('an agent and the sites that it uses are not parted, and the refusal says what belongs together', async (t) => {
  const { sites, member, workspaceId } = await open()
  const [tracker, badTools] = [await connectTracker(member, sites), await connectBadTools(member, sites)]
  const one = await agentOf(member, { name: 'One', sites: [{ vaultEntryId: tracker }, { vaultEntryId: badTools }] })
  const two = await agentOf(member, { name: 'Two', sites: [{ vaultEntryId: tracker }] })
  const without = (await move(member, { agentIds: [one.id], entryIds: [badTools], workspaceId })).failure
  t.is(without.code, 'VALIDATION_ERROR')
  t.deepEqual(
    without.details?.map(({ path }) => path),
    ['entryIds'],
  )
  t.true(without.error.includes(`move the vault entry ${tracker} with it`), without.error)
  const { failure } = await move(member, { agentIds: [one.id], entryIds: [badTools, tracker], workspaceId })
  t.true(failure.error.includes(`move the agent ${two.id} with it`), failure.error)
  t.true(await seen(member, one.id))
  await call(member, agents.deleteAgent, { params: { agentId: two.id } })
  t.is((await move(member, { agentIds: [one.id], entryIds: [badTools, tracker], workspaceId })).status, 200)
})

test('the permission table holds at both ends, and what one may not see is not there', async (t) => {
  const { platform, owner, workspaceId } = await open()
  for (const role of roles.filter((one) => one !== 'owner')) {
    const someone = await memberOf(platform, workspaceId, role)
    const [own, shared] = [await agentOf(someone), await agentOf(owner, { workspaceId })]
    const answers = [
      await move(someone, { agentIds: [own.id], workspaceId }),
      await move(someone, { agentIds: [shared.id] }),
    ]
    const expected = role === 'viewer' ? 'PERMISSION_DENIED' : 200
    t.deepEqual(answers.map(codeOrStatus), [expected, expected], role)
  }
  const outsider = await person(platform)
  const [own, shared] = [await agentOf(outsider), await agentOf(owner, { workspaceId })]
  for (const id of [shared.id, newId(), 'no-id'])
    t.is((await move(outsider, { agentIds: [own.id, id] })).failure.code, 'AGENT_NOT_FOUND')
  for (const id of [newId(), 'no-id']) t.is((await move(outsider, { entryIds: [id] })).failure.code, 'NOT_FOUND')
  t.is((await move(outsider, { agentIds: [own.id], workspaceId })).failure.code, 'WORKSPACE_NOT_FOUND')
  t.is((await move(outsider, {})).failure.code, 'VALIDATION_ERROR')
  const many = Array.from({ length: 60 }, () => newId())
  t.is((await move(outsider, { agentIds: many, entryIds: many })).failure.code, 'VALIDATION_ERROR')
  t.is((await move(outsider, { agentIds: [...many, ...many] })).failure.code, 'VALIDATION_ERROR')
})

const codeOrStatus = (answer: Awaited<ReturnType<typeof move>>) =>
  answer.status === 200 ? answer.status : answer.failure.code

test('a key of the former owner loses the agent at once, and no key moves anything', async (t) => {
  const { member, workspaceId } = await open()
  const agent = await agentOf(member)
  const made = (await call(member, apiKeys.createApiKey, { body: { name: 'Key', scopes: ['read', 'write'] } })).body
  const key = { url: member.url, token: made.key }
  t.true(await seen(key, agent.id))
  t.is((await move(key, { agentIds: [agent.id], workspaceId })).failure.code, 'PERMISSION_DENIED')
  await move(member, { agentIds: [agent.id], workspaceId })
  t.false(await seen(key, agent.id))
  t.true(await seen(member, agent.id))
})

test('the limits of whoever pays at the target count, and one site is connected once', async (t) => {
  const { platform, sites, owner, member, workspaceId } = await open()
  const free = await person(platform)
  await join(platform, workspaceId, free, 'member')
  const four = await Promise.all([1, 2, 3, 4].map(() => agentOf(owner, { workspaceId })))
  const ids = four.map(({ id }) => id)
  t.is((await move(free, { agentIds: ids })).failure.code, 'AGENT_LIMIT_REACHED')
  t.is((await move(free, { agentIds: ids.slice(1) })).status, 200)
  const hooked = await webhookAgent(owner, { workspaceId })
  t.is((await move(free, { agentIds: [hooked.id] })).failure.code, 'TIER_REQUIRED')
  const [shared, own] = [await connectBadTools(owner, sites, { workspaceId }), await connectBadTools(member, sites)]
  t.is((await move(member, { entryIds: [shared] })).failure.code, 'TOKEN_EXISTS')
  await call(member, vault.removeFromVault, { params: { entryId: own } })
  t.is((await move(member, { entryIds: [shared] })).body.ownerId, await userIdOf(member))
  const { connectedBy } = (await call(member, vault.getVaultEntry, { params: { entryId: shared } })).body
  t.is(connectedBy, await userIdOf(member), 'whoever connected it is not there')
  // The same account pays: nothing is counted, and nothing is full.
  const other = await workspaceOf(owner, 'Other')
  t.is((await move(owner, { agentIds: [hooked.id], workspaceId: other.id })).status, 200)
})

test('an agent with unfinished runs is not moved, whether they run or wait', async (t) => {
  const { platform, member, workspaceId } = await open()
  const agent = await webhookAgent(member, { systemPrompt: '[[say Done.]]' })
  await call(member, agents.pauseAgent, { params: { agentId: agent.id } })
  const { runId } = (await deliver(platform, agent, {})).body
  t.is((await move(member, { agentIds: [agent.id], workspaceId })).failure.code, 'AGENT_ALREADY_RUNNING')
  await call(member, agents.resumeAgent, { params: { agentId: agent.id } })
  await ended(member, runId)
  t.is((await move(member, { agentIds: [agent.id], workspaceId })).status, 200)
})

test('a schedule goes on for the new owner, who sees the fires since', async (t) => {
  const { owner, member, workspaceId } = await open()
  const inTemporal = openSchedules(t)
  const agent = await scheduledAgent(member, { cron: '* * * * *' })
  await inTemporal.until(agent, 'is there', (found) => found !== undefined)
  await move(member, { agentIds: [agent.id], workspaceId })
  const ownerInTemporal = (found: unknown) => JSON.stringify(found).includes(workspaceId)
  await inTemporal.until(agent, 'names the workspace', (found) => found !== undefined && ownerInTemporal(found))
  const { platform } = await stage()
  const { database, clock } = platform.services
  const fire = { agentId: agent.id, outcome: 'missed', reason: 'LATE' }
  const at = (ms: number) => new Date(clock.now().getTime() + ms)
  // By processes whose clocks are ahead of and behind the one that has moved it.
  const [before, since] = [at(-7_200_000), at(-7_140_000)]
  await database('scheduleFires').insert([
    { ...fire, ownerId: await userIdOf(member), nominalAt: before, recordedAt: at(3_600_000) },
    { ...fire, ownerId: workspaceId, nominalAt: since, recordedAt: at(-3_600_000) },
  ])
  const missed = (await firesOf(owner, agent)).filter(({ outcome }) => outcome === 'missed')
  t.deepEqual(
    missed.map(({ at: nominalAt }) => nominalAt),
    [since.toISOString()],
  )
  // Owners are told once no more fires have been missed for a while.
  await database('scheduleFires')
    .where({ agentId: agent.id })
    .update({ recordedAt: at(-60_000) })
  await createBackfill(platform.services).notifyMissed()
  const told = (await call(owner, notifications.listNotifications, { query: { workspaceId, kind: 'schedule_missed' } }))
    .body.items
  t.deepEqual(
    told.map(({ title }) => title),
    ['A schedule missed a fire: agent “An agent”'],
  )
  await call(owner, agents.deleteAgent, { params: { agentId: agent.id } })
})

test('what is changed at the old place after a move is refused, also by a request that was under way', async (t) => {
  const { platform, member, workspaceId } = await open()
  const { services } = platform
  const agent = await agentOf(member)
  const found = await services.agents.forSender(agent.id)
  await move(member, { agentIds: [agent.id], workspaceId })
  const withSites = Object.assign(found, { sites: [] })
  const late: (() => Promise<unknown>)[] = [
    () => services.agents.update(withSites, { name: 'Mine' }),
    () => services.agents.pause(withSites),
    () => services.agents.remove(withSites),
    () => services.agents.rotateSecret(withSites, { overlapSeconds: 0 }),
    () => services.runs.accept.startManually(found, { id: newId(), idempotencyKey: undefined, input: undefined }),
  ]
  for (const change of late) t.like(await t.throwsAsync(change()), { code: 'AGENT_NOT_FOUND' })
  const { body } = await call(member, agents.getAgent, { params: { agentId: agent.id } })
  t.like(body, { name: agent.name, pausedAt: null, lastRun: null })
})
