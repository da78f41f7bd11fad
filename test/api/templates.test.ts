import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as audit from '../../api/audit.ts'
import * as runs from '../../api/runs.ts'
import * as templates from '../../api/templates.ts'
import * as vault from '../../api/vault.ts'
import { startApi } from '../helpers/api-server.ts'
import { asked, decide } from '../helpers/approvals.ts'
import { catalogueOf } from '../helpers/catalogue.ts'
import { call } from '../helpers/client.ts'
import { connectTracker, customer, ended, person, runOf, timelineOf, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites, type Sites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { workspaceOf } from '../helpers/workspaces.ts'
import { folderWith } from '../src/config/files.ts'

/** An installation that has the example tracker, as `npm start` has. */
async function install(t: ExecutionContext) {
  const sites = await startSites(t)
  const token = sites.tracker.createToken('ada')
  const env = { RECONCILE_SECONDS: '1', ...catalogueOf(t, sites, token) }
  const platform = await startPlatform(t, { sites, worker: true, env })
  return { sites, platform, token }
}

const open = forWholeFile(test, 'templates', install)

/** An installation whose operator shares no token. */
const unshared = forWholeFile(test, 'templates without a shared token', async (t) => {
  const sites = await startSites(t)
  return { sites, platform: await startPlatform(t, { sites, env: catalogueOf(t, sites) }) }
})

/** An installation without example sites. */
const elsewhere = sharedPlatform(test, 'idle')

/** Requests a start. The response may be a failure. */
const start = (someone: Person, templateId: string, body: { workspaceId?: string } = {}) =>
  call(someone, templates.createAgentFromTemplate, { params: { templateId }, body })

const started = async (someone: Person, templateId: string, body?: { workspaceId?: string }) =>
  (await start(someone, templateId, body)).body

/** The tools that a run called, with their arguments and results. */
async function callsOf(someone: Person, runId: string) {
  const events = await timelineOf(someone, runId)
  const results = dataOf(events, 'tool.finished').map(({ status, result }) => ({ status, result }))
  return dataOf(events, 'tool.started').map(({ tool, arguments: args }, index) => ({ tool, args, ...results[index] }))
}

/** The tools of which calls of a run have reached the tracker. */
const toolsSent = ({ tracker }: Pick<Sites, 'tracker'>, runId: string) =>
  tracker.requests().flatMap(({ idempotencyKey, tool }) => (idempotencyKey?.startsWith(runId) ? [tool] : []))

const agentsOf = async (someone: Person) => (await call(someone, agents.listAgents)).body.items
const entriesOf = async (someone: Person) => (await call(someone, vault.listVault)).body.items
const templatesFor = async (someone: Person) => (await call(someone, templates.listTemplates)).body.items

test('every template runs to its end on the example sites: it calls all of its tools, and asks before those that it must', async (t) => {
  // Another test counts what the clean-up deletes, so the sites are not shared.
  const { platform, sites } = await install(t)
  const someone = await customer(platform)
  for (const { id, sites: chosen } of await templatesFor(someone)) {
    const [tools, askFirst] = [chosen.flatMap((one) => one.tools), chosen.flatMap((one) => one.askFirst)]
    const { runId } = await started(someone, id)
    for (const tool of askFirst) {
      const [approval] = await asked(someone)
      t.like(approval, { runId, tool }, id)
      t.is((await runOf(someone, runId)).status, 'waiting', id)
      t.false(toolsSent(sites, runId).includes(tool), `${id} calls ${tool} before it may`)
      await decide(someone, approval?.id ?? '', 'approve')
    }
    t.is((await ended(someone, runId)).status, 'completed', id)
    const calls = await callsOf(someone, runId)
    t.deepEqual(new Set(calls.map(({ tool }) => tool)), new Set(tools), id)
    t.true(
      calls.every(({ status }) => status === 'succeeded'),
      id,
    )
  }
})

test('a follow-up on an order names the order, its customer and what is missing', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const { runId } = await started(someone, 'order-follow-up')
  await ended(someone, runId)
  const [search, create] = await callsOf(someone, runId)
  t.like(search, { args: { category: 'order', text: 'A-1042' } })
  t.like(create?.args, { title: 'Order A-1042 is 3 days late', author: 'Grace Hopper', category: 'order' })
  t.regex(JSON.stringify(create?.args), /Grace Hopper waits for two desk lamps/)
})

test('a daily report has the form that programs expect', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const { agentId, runId } = await started(someone, 'daily-report')
  t.like((await call(someone, agents.getAgent, { params: { agentId } })).body, { cron: '0 17 * * *', timeZone: 'UTC' })
  await ended(someone, runId)
  const steps = dataOf(await timelineOf(someone, runId), 'step.finished')
  t.like(steps.at(-1)?.output, { needAttention: [], isUrgent: false })
})

test('an answer to a customer that a person refuses is not sent, and the run ends', async (t) => {
  const { platform, sites } = await open()
  const someone = await customer(platform)
  const { runId } = await started(someone, 'support-answer')
  const [approval] = await asked(someone)
  t.like(approval?.arguments, { id: 1 })
  t.regex(JSON.stringify(approval?.arguments), /Hello Kim, .*When will the login page work/)
  await decide(someone, approval?.id ?? '', 'refuse', { note: 'Too long.' })
  t.is((await ended(someone, runId)).status, 'completed')
  t.deepEqual(toolsSent(sites, runId), ['get_issue'])
})

test('triage gets its sample as a delivery and files it as an issue', async (t) => {
  const { platform, sites } = await open()
  const someone = await customer(platform)
  const { agentId, runId } = await started(someone, 'triage')
  t.like(await ended(someone, runId), { agentId, status: 'completed', trigger: 'webhook', sequence: 1 })
  const [search, create, ...more] = await callsOf(someone, runId)
  t.like(search, { tool: 'search_issues', args: { category: 'bug' }, status: 'succeeded' })
  t.like(create, { tool: 'issues.createIssue', status: 'succeeded', result: { author: 'Ada Lovelace', post_id: 4711 } })
  t.deepEqual(more, [])
  t.is(toolsSent(sites, runId).length, 2)
})

test('clean-up deletes old closed issues once a person has approved that, and can be started again', async (t) => {
  const { platform, sites } = await open()
  const someone = await person(platform)
  for (const deleted of [[3], []]) {
    const { runId } = await started(someone, 'clean-up')
    const [approval] = await asked(someone)
    t.like(approval, { runId, tool: 'delete_closed_issues', arguments: { created_before: '2026-11-01' } })
    t.deepEqual(toolsSent(sites, runId), ['search_issues'])
    t.is((await decide(someone, approval?.id ?? '', 'approve')).body.status, 'approved')
    t.is((await ended(someone, runId)).status, 'completed')
    const [search, remove, ...more] = await callsOf(someone, runId)
    t.like(search, { tool: 'search_issues', args: { status: 'closed' }, status: 'succeeded' })
    t.like(remove, { tool: 'delete_closed_issues', status: 'succeeded', result: { deleted } })
    t.deepEqual(more, [])
  }
})

test('digest runs on weekday mornings and once immediately', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const { agentId, runId } = await started(someone, 'digest')
  const { body: agent } = await call(someone, agents.getAgent, { params: { agentId } })
  t.like(agent, { name: 'Morning digest', trigger: 'scheduled', cron: '0 8 * * 1-5', timeZone: 'UTC' })
  t.truthy(agent.nextFireAt)
  t.like(await ended(someone, runId), { status: 'completed', trigger: 'manual' })
  const [search, ...more] = await callsOf(someone, runId)
  t.like(search, { tool: 'search_issues', args: { status: 'open' }, status: 'succeeded' })
  t.deepEqual(more, [])
})

test('the list names the sites of each template, and why a tier cannot start one', async (t) => {
  const { platform, sites } = await open()
  const all = await templatesFor(await customer(platform))
  t.deepEqual(
    all.map(({ id, trigger, obstacle }) => [id, trigger, obstacle]),
    [
      ['clean-up', 'manual', null],
      ['daily-report', 'scheduled', null],
      ['digest', 'scheduled', null],
      ['order-follow-up', 'webhook', null],
      ['support-answer', 'webhook', null],
      ['triage', 'webhook', null],
    ],
  )
  for (const template of all) t.like(template.sites[0], { address: sites.tracker.origin, available: true })
  t.deepEqual(all[0]?.sites[0]?.askFirst, ['delete_closed_issues'])

  const someone = await person(platform)
  const triage = (await templatesFor(someone)).find(({ id }) => id === 'triage')
  t.regex(triage?.obstacle ?? '', /does not include webhooks/)
  const { failure } = await start(someone, 'triage')
  t.deepEqual([failure.code, failure.error], ['TIER_REQUIRED', triage?.obstacle])
  t.deepEqual([await agentsOf(someone), await entriesOf(someone)], [[], []])
})

test('a template starts as often as one likes, also at the same instant, and its site is connected once', async (t) => {
  const { platform } = await open()
  const someone = await customer(platform)
  const all = await Promise.all([1, 2, 3].map(() => started(someone, 'digest')))
  all.push(await started(someone, 'digest'))
  t.is(new Set(all.map(({ agentId }) => agentId)).size, 4)
  t.is(new Set(all.map(({ runId }) => runId)).size, 4)
  const [entry, ...more] = await entriesOf(someone)
  t.deepEqual(more, [])
  for (const { agentId } of all) {
    const { body: agent } = await call(someone, agents.getAgent, { params: { agentId } })
    t.deepEqual(agent.sites, [{ vaultEntryId: entry?.id ?? '', tools: ['search_issues'], askFirst: [] }])
  }
})

test('an installation without example sites lists the templates as unavailable, and starting one says what to do', async (t) => {
  const someone = await customer(await elsewhere())
  const all = await templatesFor(someone)
  t.is(all.length, 6)
  for (const template of all) {
    t.like(template.sites[0], { site: 'tracker', address: null, available: false })
    t.regex(template.obstacle ?? '', /has no site named "tracker".*POST \/vault.*POST \/agents/)
    const { failure } = await start(someone, template.id)
    t.deepEqual([failure.code, failure.error], ['NOT_FOUND', template.obstacle])
  }
  t.deepEqual([await agentsOf(someone), await entriesOf(someone)], [[], []])
})

test('a template uses the connection of its owner, and asks for one if the operator shares no token', async (t) => {
  const { platform, sites } = await unshared()
  const someone = await customer(platform)
  const digest = async () => (await templatesFor(someone)).find(({ id }) => id === 'digest')
  const before = await digest()
  t.like(before?.sites[0], { address: sites.tracker.origin, available: false })
  t.regex(before?.obstacle ?? '', /"Example issue tracker"\. Connect it first: its address is https:/)
  const { failure } = await start(someone, 'digest')
  t.deepEqual([failure.code, failure.error], ['NOT_FOUND', before?.obstacle])
  const entryId = await connectTracker(someone, sites)
  t.is((await digest())?.obstacle, null)
  const { agentId } = await started(someone, 'digest')
  const { body: agent } = await call(someone, agents.getAgent, { params: { agentId } })
  t.deepEqual(agent.sites, [{ vaultEntryId: entryId, tools: ['search_issues'], askFirst: [] }])
})

test('a template whose site is an API connects it with the tools of the template', async (t) => {
  const operations = { 'GET /issues': { operationId: 'search_issues' }, 'GET /other': { operationId: 'other' } }
  const key = { type: 'apiKey', in: 'header', name: 'X-Key' }
  const api = await startApi(t, operations, { components: { securitySchemes: { key } }, security: [{ key: [] }] })
  const entry = { name: 'Tracker', dialect: 'openapi', address: api.documentUrl, authType: 'bearer', tokenHelp: 'Ask.' }
  const folder = folderWith(t, { 'tracker.json': JSON.stringify({ ...entry, token: 'a-shared-token' }) })
  const platform = await startPlatform(t, { env: { CATALOGUE_FOLDERS: folder } })
  const someone = await customer(platform)
  t.is((await templatesFor(someone)).find(({ id }) => id === 'digest')?.obstacle, null)
  await started(someone, 'digest')
  const [connected] = await entriesOf(someone)
  t.is(connected?.origin, `${api.documentUrl}#${api.serverUrl}`)
  const { items } = (await call(someone, vault.listTools, { params: { entryId: connected?.id ?? '' } })).body
  t.deepEqual(
    items.map(({ name }) => name),
    ['search_issues'],
  )
  t.true(api.strays.every(({ headers }) => headers.authorization === undefined))
})

test('a template that does not exist cannot be started', async (t) => {
  const someone = await person((await open()).platform)
  for (const id of ['no-such-template', 'triage.json', 'constructor'])
    t.is((await start(someone, id)).failure.code, 'NOT_FOUND', id)
})

test('what one starts from a template, nobody else sees', async (t) => {
  const { platform } = await open()
  const [someone, other] = [await customer(platform, 'team'), await customer(platform, 'team')]
  const { id: workspaceId } = await workspaceOf(someone)
  const { agentId, runId } = await started(someone, 'digest', { workspaceId })
  t.is((await call(someone, agents.getAgent, { params: { agentId } })).body.ownerId, workspaceId)
  t.deepEqual([await agentsOf(other), await entriesOf(other)], [[], []])
  t.is((await call(other, agents.getAgent, { params: { agentId } })).failure.code, 'AGENT_NOT_FOUND')
  t.is((await call(other, runs.getRun, { params: { runId } })).failure.code, 'RUN_NOT_FOUND')
  t.is((await start(other, 'digest', { workspaceId })).failure.code, 'WORKSPACE_NOT_FOUND')
  const listed = await call(other, templates.listTemplates, { query: { workspaceId } })
  t.is(listed.failure.code, 'WORKSPACE_NOT_FOUND')
})

test('a start leaves the audit entries of what it does, and the token of the site is nowhere', async (t) => {
  const { platform, token } = await open()
  const someone = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(someone)
  const first = await started(someone, 'digest', { workspaceId })
  const second = await started(someone, 'digest', { workspaceId })
  const entries = (await call(someone, audit.listAudit, { query: { workspaceId } })).body.items
  t.deepEqual(
    entries.map(({ action, subject, outcome }) => [action, subject.kind, outcome]),
    [
      ['createAgent', 'agent', 'done'],
      ['createAgent', 'agent', 'done'],
      ['addToVault', 'vault_entry', 'done'],
    ],
  )
  t.deepEqual(
    entries.slice(0, 2).map(({ subject }) => subject.id),
    [second.agentId, first.agentId],
  )
  t.like(entries[0]?.after, { name: 'Morning digest', trigger: 'scheduled' })
  await ended(someone, first.runId)
  const seen = [first, entries, await templatesFor(someone), await timelineOf(someone, first.runId), platform.logs]
  t.false(JSON.stringify(seen).includes(token))
})
