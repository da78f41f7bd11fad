import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as runs from '../../api/runs.ts'
import * as webhooks from '../../api/webhooks.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { agentOf, connectTracker, customer, person, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { cancel, start } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const open = forWholeFile(test, 'agents', async (t) => {
  const sites = await startSites(t)
  return { sites, platform: await startPlatform(t, { sites }) }
})

test('an agent keeps every field of the specification', async (t) => {
  const { sites, platform } = await open()
  const someone = await customer(platform)
  const vaultEntryId = await connectTracker(someone, sites)
  const schema = [{ name: 'post_id', type: 'number' as const, description: 'Of the post' }]
  const agent = await webhookAgent(someone, {
    name: 'Triage',
    systemPrompt: 'Look after bugs.',
    webhookSchema: schema,
    allowActionOverride: true,
    sites: [{ vaultEntryId, tools: ['get_issue'], askFirst: ['get_issue'] }],
  })
  const { body } = await call(someone, agents.getAgent, { params: { agentId: agent.id } })
  t.like(body, {
    name: 'Triage',
    systemPrompt: 'Look after bugs.',
    trigger: 'webhook',
    webhookUrl: `${platform.url}/api/webhooks/agent/${agent.id}`,
    webhookSchema: [{ ...schema[0], required: true }],
    allowActionOverride: true,
    sites: [{ vaultEntryId, tools: ['get_issue'], askFirst: ['get_issue'] }],
  })
  t.regex(body.webhookSecret ?? '', /^whsec_[\w+/=]{40,}$/)
})

test('URL and secret belong to webhook agents, and the secret stays the same when the trigger comes back', async (t) => {
  const someone = await customer((await open()).platform)
  const { id: agentId, webhookSecret } = await webhookAgent(someone)
  const change = (trigger: 'manual' | 'webhook') =>
    call(someone, agents.updateAgent, { params: { agentId }, body: { trigger } }).then(({ body }) => body)
  t.like(await change('manual'), { webhookUrl: null, webhookSecret: null })
  t.is((await change('webhook')).webhookSecret, webhookSecret)
})

/** What only the agent itself shows: secrets, and what may be long. */
const ofOne = new Set([
  'systemPrompt',
  'sites',
  'webhookSecret',
  'previousWebhookSecretUntil',
  'webhookSchema',
  'allowActionOverride',
  'outputSchema',
  'callbackSecret',
  'usage',
])

test('a list shows of each agent what the agent itself shows, without secrets, prompt and sites', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const scheduled = await agentOf(someone, { trigger: 'scheduled', cron: '30 9 29 2 *', timeZone: 'Asia/Kolkata' })
  const webhook = await webhookAgent(someone, { callbackUrl: 'https://hooks.example.com/', webhookProof: 'github' })
  const manual = await agentOf(someone)
  await cancel(someone, (await start(someone, manual)).body.id)
  const { body: last } = await start(someone, manual)
  await call(someone, agents.pauseAgent, { params: { agentId: manual.id } })
  const other = await customer(platform)
  await start(other, await agentOf(other))

  const { items } = (await call(someone, agents.listAgents)).body
  t.is(items.length, 3)
  for (const item of items) {
    const { body } = await call(someone, agents.getAgent, { params: { agentId: item.id } })
    const listed = Object.fromEntries(Object.entries(body).filter(([name]) => !ofOne.has(name)))
    t.deepEqual(item, listed)
  }
  const found = (id: string) => items.find((item) => item.id === id)
  const fire = found(scheduled.id)?.nextFireAt ?? ''
  t.regex(fire, /^20\d\d-02-29T04:00:00\.000Z$/)
  t.true(new Date(fire) > new Date())
  t.like(found(scheduled.id), { cron: '30 9 29 2 *', timeZone: 'Asia/Kolkata', webhookUrl: null, lastRun: null })
  const webhookUrl = `${platform.url}/api/webhooks/agent/${webhook.id}`
  t.like(found(webhook.id), { webhookUrl, webhookProof: 'github', callbackUrl: 'https://hooks.example.com/' })
  t.like(found(webhook.id), { nextFireAt: null, cron: null, pausedAt: null })
  const { id, acceptedAt } = last
  t.deepEqual(found(manual.id)?.lastRun, { id, status: 'queued', acceptedAt })
  t.truthy(found(manual.id)?.pausedAt)
})

test('a change touches what it names and nothing else', async (t) => {
  const someone = await customer((await open()).platform)
  const before = await webhookAgent(someone, { allowActionOverride: true })
  const { body } = await call(someone, agents.updateAgent, { params: { agentId: before.id }, body: { name: 'New' } })
  t.deepEqual({ ...body, updatedAt: '' }, { ...before, name: 'New', updatedAt: '' })
})

test('what cannot be kept in a text is said of its place in the body', async (t) => {
  const someone = await person((await open()).platform)
  for (const [odd, path] of [
    ['"name":"A\\u0000B"', 'name'],
    ['"name":"A","systemPrompt":"half \\ud800"', 'systemPrompt'],
    ['"name":"A","sites":[{"vaultEntryId":"x","tools":["a","b\\u0000"]}]', 'sites.0.tools.1'],
    ['"name":1e400', 'name'],
  ] as const) {
    const raw = `{"trigger":"manual","systemPrompt":"Report.",${odd}}`
    const { failure } = await call(someone, agents.createAgent, { raw })
    t.is(failure.code, 'VALIDATION_ERROR', odd)
    t.is(failure.details?.[0]?.path, path, odd)
    t.true(failure.error.startsWith(`"${path}" `), failure.error)
  }
  t.deepEqual((await call(someone, agents.listAgents)).body.items, [])
})

test('a webhook to an agent that webhooks do not start is answered like one to nobody', async (t) => {
  const someone = await customer((await open()).platform)
  const { id: agentId, webhookSecret } = await webhookAgent(someone)
  await call(someone, agents.updateAgent, { params: { agentId }, body: { trigger: 'manual' } })
  const headers = { 'x-webhook-secret': webhookSecret ?? '' }
  const deliver = async (id: string) =>
    (await call({ url: someone.url }, webhooks.receiveWebhook, { params: { agentId: id }, headers, raw: '{}' })).failure
  const failure = await deliver(agentId)
  t.is(failure.code, 'AGENT_NOT_FOUND')
  t.regex(failure.error, /that webhooks start/)
  t.deepEqual(failure, await deliver(newId()))
})

test('a schedule belongs to scheduled agents only', async (t) => {
  const someone = await person((await open()).platform)
  const schedule = { cron: '0 9 * * 1', timeZone: 'Europe/Berlin' }
  const make = (fields: object) =>
    call(someone, agents.createAgent, {
      body: { name: 'n', systemPrompt: 'p', trigger: 'manual', ...fields },
    })
  t.is((await make({ trigger: 'scheduled', ...schedule })).status, 201)
  t.is((await make({ trigger: 'scheduled' })).failure.code, 'VALIDATION_ERROR')
  t.is((await make(schedule)).failure.code, 'VALIDATION_ERROR')
})

test('sites that are not in the vault, and tools that a site lacks, are named', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  const vaultEntryId = await connectTracker(someone, sites)
  const make = (chosen: { vaultEntryId: string; tools?: string[]; askFirst?: string[] }[]) =>
    call(someone, agents.createAgent, {
      body: { name: 'n', systemPrompt: 'p', trigger: 'manual', sites: chosen },
    })
  const wrong = await make([{ vaultEntryId, tools: ['get_issue', 'fly'] }, { vaultEntryId: 'nowhere' }])
  t.deepEqual(
    wrong.failure.details?.map(({ path }) => path),
    ['sites.0.tools', 'sites.1.vaultEntryId'],
  )
  t.is((await make([{ vaultEntryId }, { vaultEntryId }])).failure.code, 'VALIDATION_ERROR')
  for (const choice of [{ askFirst: ['fly'] }, { tools: ['get_issue'], askFirst: ['search_issues'] }]) {
    const { failure } = await make([{ vaultEntryId, ...choice }])
    t.deepEqual([failure.code, failure.details?.map(({ path }) => path)], ['VALIDATION_ERROR', ['sites.0.askFirst']])
  }
  t.deepEqual((await make([{ vaultEntryId }])).body.sites, [{ vaultEntryId, tools: null, askFirst: [] }])
})

// @promise limits
test("the tier's number of agents holds between requests at the same instant, and deleting one makes room", async (t) => {
  const someone = await person((await open()).platform)
  const body = { name: 'n', systemPrompt: 'p', trigger: 'manual' as const }
  const answers = await Promise.all(Array.from({ length: 6 }, () => call(someone, agents.createAgent, { body })))
  const made = answers.filter(({ status }) => status === 201)
  t.is(made.length, 3)
  const codes = answers.filter(({ status }) => status !== 201).map(({ failure }) => failure.code)
  t.deepEqual([...new Set(codes)], ['AGENT_LIMIT_REACHED'])

  await call(someone, agents.deleteAgent, { params: { agentId: made[0]?.body.id ?? '' } })
  t.is((await call(someone, agents.createAgent, { body })).status, 201)
})

test('lists come in pages, newest first, each item once, and can be filtered', async (t) => {
  const someone = await customer((await open()).platform)
  const made: string[] = []
  for (let index = 0; index < 5; index += 1) made.push((await agentOf(someone)).id)
  const { id: webhookId } = await webhookAgent(someone)

  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: '2', trigger: 'manual', ...(cursor && { cursor }) }
    const { body } = await call(someone, agents.listAgents, { query })
    seen.push(...body.items.map(({ id }) => id))
    cursor = body.nextCursor
  }
  t.deepEqual(seen, made.toReversed())
  const webhookAgents = (await call(someone, agents.listAgents, { query: { trigger: 'webhook' } })).body
  t.deepEqual(
    webhookAgents.items.map(({ id }) => id),
    [webhookId],
  )
})

test('runs can be listed by agent, status and trigger', async (t) => {
  const someone = await person((await open()).platform)
  const [one, other] = [await agentOf(someone), await agentOf(someone)]
  const start = (agentId: string) => call(someone, agentRuns.startRun, { params: { agentId } })
  const { id: runId } = (await start(one.id)).body
  await start(other.id)
  await call(someone, runs.cancelRun, { params: { runId } })

  const listed = async (query: Record<string, string>) =>
    (await call(someone, runs.listRuns, { query })).body.items.map(({ id }) => id)
  t.is((await listed({})).length, 2)
  t.deepEqual(await listed({ status: 'cancelled' }), [runId])
  t.deepEqual(await listed({ agentId: one.id }), [runId])
  t.deepEqual(await listed({ agentId: other.id, status: 'cancelled' }), [])
  t.is((await listed({ trigger: 'webhook' })).length, 0)
  const ofAgent = await call(someone, agentRuns.listAgentRuns, { params: { agentId: one.id } })
  t.deepEqual(
    ofAgent.body.items.map(({ id }) => id),
    [runId],
  )
})

test('changes at the same instant that contradict each other leave an agent that can be changed again', async (t) => {
  const someone = await person((await open()).platform)
  const body = { name: 'n', systemPrompt: 'p', trigger: 'scheduled' as const, cron: '0 9 * * 1', timeZone: 'UTC' }
  const { id: agentId } = (await call(someone, agents.createAgent, { body })).body
  const change = (fields: Record<string, unknown>) =>
    call(someone, agents.updateAgent, { params: { agentId }, body: fields })
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all([
      change({ trigger: 'manual', cron: null, timeZone: null }),
      change({ cron: '0 0 * * *' }),
      change({ trigger: 'scheduled', cron: '5 4 * * *', timeZone: 'Europe/Berlin' }),
    ])
    for (const { status } of answers) t.true([200, 400].includes(status))
    t.is((await change({ name: 'again' })).status, 200)
  }
})

test('secrets are shown to those who may write, and to nobody else', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const { id: agentId } = await webhookAgent(someone, { callbackUrl: 'https://example.com/endings' })
  const keyOf = async (scopes: ('read' | 'write')[]) => {
    const { body } = await call(someone, apiKeys.createApiKey, { body: { name: scopes.join(), scopes } })
    return (await call({ url: platform.url, token: body.key }, agents.getAgent, { params: { agentId } })).body
  }
  t.like(await keyOf(['read']), { webhookSecret: null, callbackSecret: null })
  const shown = await keyOf(['read', 'write'])
  t.regex(shown.webhookSecret ?? '', /^whsec_/)
  t.regex(shown.callbackSecret ?? '', /^whsec_/)
})

test('a deleted agent keeps no sites, neither those that it has nor those that it has lost', async (t) => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites })
  const { database } = platform.services
  const someone = await person(platform)
  const vaultEntryId = await connectTracker(someone, sites)
  const { id: agentId } = await agentOf(someone, { sites: [{ vaultEntryId, tools: ['search_issues'] }] })
  await database('agent_lost_sites').insert({ agentId, origin: 'https://gone.test', name: 'Gone', lostAt: new Date() })
  t.is((await call(someone, agents.deleteAgent, { params: { agentId } })).status, 204)
  for (const table of ['agent_sites', 'agent_lost_sites'])
    t.deepEqual(await database(table).where({ agentId }), [], table)
})
