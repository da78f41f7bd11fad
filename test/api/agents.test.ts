import test from 'ava'
import * as agents from '../../api/agents.ts'
import { call } from '../helpers/client.ts'
import { agentOf, connectTracker, customer, person, webhookAgent } from '../helpers/people.ts'
import { cancel, start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = sharedPlatform(test, 'idle')
const sitesOf = forWholeFile(test, 'agents', startSites)
const open = async () => ({ platform: await platformOf(), sites: await sitesOf() })

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
  t.deepEqual({ ...body, updatedAt: '' }, { ...before, name: 'New', version: 2, updatedAt: '' })
})

test('webhooks start an agent only in a tier that has them, and one that they start can be changed without it', async (t) => {
  const { platform } = await open()
  const [someone, former] = [await person(platform), await customer(platform)]
  const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'webhook' as const }
  const change = (by: typeof someone, { id: agentId }: { id: string }) =>
    call(by, agents.updateAgent, { params: { agentId }, body })
  const hooked = await webhookAgent(former)
  const refused = [await call(someone, agents.createAgent, { body }), await change(someone, await agentOf(someone))]
  for (const { failure } of refused) t.is(failure.code, 'TIER_REQUIRED')
  const account = platform.services.database('accounts').where({ ownerId: hooked.ownerId })
  await account.update({ tier: 'free', currentPeriodEnd: null })
  t.is((await change(former, hooked)).status, 200)
})

test('a model that is not configured any more stays chosen until another one is', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const { id: agentId } = await agentOf(someone, { model: 'demo' })
  await platform.services.database('agents').where({ id: agentId }).update({ model: 'gone' })
  const change = (body: object) => call(someone, agents.updateAgent, { params: { agentId }, body })
  t.like((await change({ name: 'Renamed' })).body, { name: 'Renamed', model: 'gone' })
  t.like((await change({ model: 'gone' })).failure.details, [{ path: 'model' }])
  t.is((await change({ model: null })).body.model, null)
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

test('an agent that is paused again is not paused for the reason of the time before', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const { id } = await agentOf(someone)
  const params = { agentId: id }
  await call(someone, agents.pauseAgent, { params })
  await platform.services.database('agents').where({ id }).update({ pausedReason: 'MODEL_UNAVAILABLE' })
  t.like((await call(someone, agents.resumeAgent, { params })).body, { pausedAt: null, pausedReason: null })
  t.is((await call(someone, agents.pauseAgent, { params })).body.pausedReason, null)
})

test('a deleted agent keeps no sites, neither those that it has nor those that it has lost, and takes no room', async (t) => {
  const { platform, sites: theirs } = await open()
  const { database } = platform.services
  const someone = await person(platform)
  const vaultEntryId = await connectTracker(someone, theirs)
  const sites = [{ vaultEntryId, tools: ['search_issues'] }]
  const { id: agentId, ownerId } = await agentOf(someone, { sites })
  const lost = { agentId, origin: 'https://gone.test', name: 'Gone', lostAt: new Date() }
  await database('agent_lost_sites').insert(lost)
  await call(someone, agents.updateAgent, { params: { agentId }, body: { sites } })
  t.deepEqual(await database('agent_lost_sites').where({ agentId }), [], 'whoever chooses anew misses none')
  await database('agent_lost_sites').insert(lost)
  t.is((await call(someone, agents.deleteAgent, { params: { agentId } })).status, 204)
  for (const table of ['agent_sites', 'agent_lost_sites'])
    t.deepEqual(await database(table).where({ agentId }), [], table)
  await database('accounts').where({ ownerId }).update({ limits: '{"agents":1}' })
  await agentOf(someone)
  t.is(
    (await call(someone, agents.createAgent, { body: { name: 'B', systemPrompt: 'Help.', trigger: 'manual' } })).failure
      .code,
    'AGENT_LIMIT_REACHED',
  )
})
