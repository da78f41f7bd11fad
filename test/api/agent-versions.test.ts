// @promise record
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as versions from '../../api/agent-versions.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as audit from '../../api/audit.ts'
import * as moves from '../../api/moves.ts'
import * as statements from '../../api/statements.ts'
import * as vault from '../../api/vault.ts'
import { call, type Client } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { agentOf, customer, ended, person, runOf, timelineOf, webhookAgent } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { join, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* Every change of an agent is a numbered version. */

const house = sharedPlatform(test)
const idle = sharedPlatform(test, 'idle')

type Body = NonNullable<Parameters<typeof agentOf>[1]>
const change = (by: Client, agentId: string, body: Body) => call(by, agents.updateAgent, { params: { agentId }, body })
const list = async (by: Client, agentId: string, query: Record<string, string> = {}) =>
  (await call(by, versions.listAgentVersions, { params: { agentId }, query })).body
const numbersOf = async (by: Client, agentId: string) => (await list(by, agentId)).items.map(({ version }) => version)
const get = (by: Client, agentId: string, version: number | string) =>
  call(by, versions.getAgentVersion, { params: { agentId, version: String(version) } })
const restore = (by: Client, agentId: string, version: number | string) =>
  call(by, versions.restoreAgentVersion, { params: { agentId, version: String(version) } })

test('each change is a version with its actor and its difference, and an update without a change is none', async (t) => {
  const someone = await person(await idle())
  const { id } = await agentOf(someone, { name: 'First', systemPrompt: 'Report.' })
  const key = { name: 'Key', scopes: ['read' as const, 'write' as const] }
  const made = (await call(someone, apiKeys.createApiKey, { body: key })).body
  t.is((await change({ ...someone, token: made.key }, id, { name: 'Second', summarizes: true })).body.version, 2)
  t.is((await change(someone, id, { name: 'Second' })).body.version, 2)
  await call(someone, agents.pauseAgent, { params: { agentId: id } })
  const userId = await userIdOf(someone)
  const { items } = await list(someone, id)
  t.is(items.length, 2)
  t.like(items[0], { version: 2, changed: ['name', 'summarizes'], restoredFrom: null })
  t.deepEqual(items[0]?.by, { userId, email: someone.email, via: 'api-key', viaId: made.id })
  t.like(items[1], { version: 1, changed: [], by: { userId, via: 'login' } })
  const { body } = await get(someone, id, 2)
  t.like(body.fields, { name: 'Second', systemPrompt: 'Report.', summarizes: true, sites: [] })
  t.deepEqual(body.differences, [
    { field: 'name', before: 'First', after: 'Second' },
    { field: 'summarizes', before: false, after: true },
  ])
  t.deepEqual((await get(someone, id, 1)).body.differences, [])
})

test('versions are read in pages, newest first or in the order of arrival', async (t) => {
  const someone = await person(await idle())
  const { id } = await agentOf(someone)
  for (const name of ['Two', 'Three']) await change(someone, id, { name })
  const first = await list(someone, id, { limit: '2' })
  t.deepEqual(
    first.items.map(({ version }) => version),
    [3, 2],
  )
  const second = await list(someone, id, { limit: '2', cursor: first.nextCursor ?? '' })
  t.deepEqual(
    second.items.map(({ version }) => version),
    [1],
  )
  const arrival = await list(someone, id, { order: 'arrival', since: first.items[1]?.at ?? '' })
  t.deepEqual(
    arrival.items.map(({ version }) => version),
    [2, 3],
  )
})

test('a restore is a new version with the old fields, and restoring what the agent has is none', async (t) => {
  const someone = await customer(await idle())
  const agent = await webhookAgent(someone, { name: 'First', callbackUrl: 'https://hooks.example.com/a?key=1' })
  await change(someone, agent.id, { name: 'Second', trigger: 'manual', callbackUrl: null, webhookSchema: null })
  const { body } = await restore(someone, agent.id, 1)
  t.deepEqual(body.leftOut, [])
  const { lastRun: _, ...expected } = agent
  t.like(body.agent, { ...expected, version: 3, updatedAt: body.agent.updatedAt })
  t.like((await list(someone, agent.id)).items[0], { version: 3, restoredFrom: 1 })
  t.deepEqual((await get(someone, agent.id, 3)).body.fields, (await get(someone, agent.id, 1)).body.fields)
  t.is((await restore(someone, agent.id, 1)).body.agent.version, 3)
  const { items } = (await call(someone, audit.listAudit, { query: { action: 'restoreAgentVersion' } })).body
  t.is(items.length, 2)
  t.like(items[1], { subject: { kind: 'agent', id: agent.id }, before: { name: 'Second' }, after: { name: 'First' } })
})

test('a restore follows the rules of an update', async (t) => {
  const platform = await idle()
  const someone = await customer(platform)
  const { id } = await webhookAgent(someone)
  await change(someone, id, { trigger: 'manual' })
  const { database } = platform.services
  await database('accounts')
    .where({ ownerId: await userIdOf(someone) })
    .update({ tier: 'free', currentPeriodEnd: null })
  t.is((await restore(someone, id, 1)).failure.code, 'TIER_REQUIRED')
  await database('agentVersions')
    .where({ agentId: id, version: 2 })
    .update({ fields: database.raw(`jsonb_set(fields::jsonb, '{model}', '"gone"')::json`) })
  t.is((await restore(someone, id, 2)).failure.code, 'VALIDATION_ERROR')
  await database('agents').where({ id }).update({ model: 'gone' })
  t.is((await restore(someone, id, 2)).status, 200, 'the agent keeps a model that it has')
  t.deepEqual(await numbersOf(someone, id), [2, 1])
})

test('a restore leaves out a site that is no longer connected, and says so', async (t) => {
  const owner = await newOwner(t, await idle())
  const [kept, gone] = [await owner.site(), await owner.site()]
  const sites = [kept, gone].map(({ vaultEntryId }) => ({ vaultEntryId, tools: ['echo_text'] }))
  const { id } = await owner.agent({ sites })
  await change(owner, id, { sites: [] })
  await call(owner, vault.removeFromVault, { params: { entryId: gone.vaultEntryId } })
  const { body } = await restore(owner, id, 1)
  t.deepEqual(body.agent.sites, [{ vaultEntryId: kept.vaultEntryId, tools: ['echo_text'], askFirst: [] }])
  t.deepEqual(body.leftOut, [`The site of the vault entry ${gone.vaultEntryId} is no longer connected.`])
})

test('changes at the same time get consecutive numbers', async (t) => {
  const someone = await person(await idle())
  const { id } = await agentOf(someone)
  const names = ['One', 'Two', 'Three', 'Four', 'Five']
  const answers = await Promise.all(names.map((name) => change(someone, id, { name })))
  t.true(answers.every(({ status }) => status === 200))
  t.deepEqual(await numbersOf(someone, id), [6, 5, 4, 3, 2, 1])
  for (const version of [2, 3, 4, 5, 6]) t.is((await get(someone, id, version)).body.differences.length, 1)
})

test('a run and its statement name the version under which the run started', async (t) => {
  const someone = await person(await house())
  const agent = await agentOf(someone, { systemPrompt: '[[say one]]' })
  const first = await ended(someone, (await start(someone, agent)).body.id)
  await change(someone, agent.id, { systemPrompt: '[[say two]]' })
  const second = await ended(someone, (await start(someone, agent)).body.id)
  t.deepEqual([first.agentVersion, second.agentVersion], [1, 2])
  t.is((await runOf(someone, first.id)).agentVersion, 1, 'it stays')
  const prompts = await Promise.all([first, second].map(({ id }) => timelineOf(someone, id)))
  t.deepEqual(
    prompts.map((events) => dataOf(events, 'started')[0]?.['systemPrompt']),
    ['[[say one]]', '[[say two]]'],
  )
  t.is((await call(someone, statements.getRunStatement, { params: { runId: second.id } })).body.agentVersion, 2)
})

test('a run that waits in the queue has no version, and gets the one in force when it leaves', async (t) => {
  const { services, url } = await idle()
  const someone = await customer({ url })
  const agent = await webhookAgent(someone)
  const { runId } = (await services.runs.accept.one({
    agentId: agent.id,
    trigger: 'webhook',
    requestId: 'r',
    payload: '{}',
  })) as { runId: string }
  t.is((await runOf(someone, runId)).agentVersion, null)
  await change(someone, agent.id, { name: 'New' })
  await services.runs.queue.claimNext(agent.id)
  await change(someone, agent.id, { name: 'Newer' })
  t.is((await runOf(someone, runId)).agentVersion, 2)
})

test('the last 200 versions are kept, or 10 MiB, and always the latest', async (t) => {
  const platform = await idle()
  const { database } = platform.services
  const someone = await person(platform)
  const { id } = await agentOf(someone)
  await database.raw(
    `insert into agent_versions (agent_id, at, version, bytes, via, changed, fields)
     select agent_id, at, n, bytes, via, changed, fields from agent_versions, generate_series(2, 200) n where agent_id = :id`,
    { id },
  )
  await database('agents').where({ id }).update({ version: 200 })
  await change(someone, id, { name: 'New' })
  const kept = async () => {
    const rows = (await database('agentVersions').where({ agentId: id }).orderBy('version')) as { version: number }[]
    return rows.map(({ version }) => version)
  }
  const numbers = await kept()
  t.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [200, 2, 201])
  t.is((await get(someone, id, 1)).failure.code, 'NOT_FOUND')
  await database('agentVersions')
    .where({ agentId: id, version: 199 })
    .update({ bytes: 10 * 1024 * 1024 })
  await change(someone, id, { name: 'Newer' })
  t.deepEqual(await kept(), [200, 201, 202])
})

test("another account's versions are not found, and a viewer restores nothing and sees no query of a callback URL", async (t) => {
  const platform = await idle()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const [viewer, stranger] = [await person(platform), await person(platform)]
  await join(platform, workspaceId, viewer, 'viewer')
  const { id } = await agentOf(owner, { workspaceId, callbackUrl: 'https://hooks.example.com/?key=1' })
  await change(owner, id, { callbackUrl: 'https://hooks.example.com/?key=2' })
  const ofStranger = [
    await call(stranger, versions.listAgentVersions, { params: { agentId: id } }),
    await get(stranger, id, 1),
    await restore(stranger, id, 1),
  ]
  for (const answer of ofStranger) t.is(answer.failure.code, 'AGENT_NOT_FOUND')
  t.is((await restore(viewer, id, 1)).failure.code, 'PERMISSION_DENIED')
  t.false(JSON.stringify((await get(viewer, id, 2)).body).includes('key='))
  t.is((await get(owner, id, 2)).body.fields.callbackUrl, 'https://hooks.example.com/?key=2')
  for (const version of ['0', '3', 'x', '01', '99999999999'])
    t.is((await get(owner, id, version)).failure.code, 'NOT_FOUND')
})

test('an agent that moves takes its number and its present version along, and nothing earlier', async (t) => {
  const platform = await idle()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const { id } = await agentOf(owner)
  await change(owner, id, { name: 'Second' })
  t.is((await call(owner, moves.moveThings, { body: { agentIds: [id], workspaceId } })).status, 200)
  t.deepEqual(await numbersOf(owner, id), [2])
  t.is((await change(owner, id, { name: 'Third' })).body.version, 3)
  t.deepEqual(await numbersOf(owner, id), [3, 2])
})

test('a deleted agent leaves no versions', async (t) => {
  const platform = await idle()
  const someone = await person(platform)
  const { id } = await agentOf(someone)
  t.is(await countOf(platform, id), 1)
  await call(someone, agents.deleteAgent, { params: { agentId: id } })
  t.is(await countOf(platform, id), 0)
})

async function countOf({ services }: Awaited<ReturnType<typeof idle>>, agentId: string): Promise<number> {
  return ((await services.database('agentVersions').where({ agentId })) as unknown[]).length
}
