import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as vaultCalls from '../../api/calls.ts'
import * as vault from '../../api/vault.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { startChangingSite } from '../helpers/changing-site.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { manifestWith, startHostileSite } from '../helpers/hostile-site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import {
  agentOf,
  connectTracker,
  customer,
  deliver,
  ended,
  person,
  timelineOf,
  webhookAgent,
} from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/** A platform with a worker, the example sites, more of them than the free tier may connect, and one that changes its manifest. */
const open = forWholeFile(test, 'the vault', async (t) => {
  const sites = await startSites(t)
  const tls = await temporaryCertificates()
  const more = await Promise.all(Array.from({ length: 6 }, () => startBadTools({ port: 0, tls })))
  for (const { close } of more) t.teardown(close)
  const changing = await startChangingSite(t)
  const allow = [...sites.allow, ...changing.allow, ...more.map(({ origin }) => new URL(origin).host)]
  return { sites, more, changing, platform: await startPlatform(t, { sites: { ...sites, allow }, worker: true }) }
})

test('inspecting a site shows its tools with scope and effect', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  const { body } = await call(someone, siteInspection.inspectSite, { body: { url: sites.tracker.origin } })
  t.like(body, { origin: sites.tracker.origin, authType: 'bearer', foreignHosts: [] })
  t.deepEqual(
    body.tools.map(({ name, scope, effect }) => [name, scope, effect]),
    [
      ['search_issues', 'read', 'read'],
      ['get_issue', 'read', 'read'],
      ['issues.createIssue', 'write', 'once'],
      ['issues.addComment', 'write', 'idempotent'],
      ['delete_issue', 'delete', 'once'],
      ['admin.updateSettings', 'admin', 'idempotent'],
    ],
  )
})

test('of requests at the same instant that connect one site, one succeeds and the others are TOKEN_EXISTS', async (t) => {
  const { sites, platform } = await open()
  const someone = await customer(platform)
  const body = { url: sites.tracker.origin, token: sites.tracker.createToken('ada') }
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(someone, vault.addToVault, { body })))
  const refused = answers.filter(({ status }) => status !== 201)
  t.deepEqual(
    refused.map(({ failure }) => failure.code),
    Array<string>(7).fill('TOKEN_EXISTS'),
  )
})

// @promise limits
test('the vault limit of the tier holds between requests at the same instant', async (t) => {
  const { sites, more, platform } = await open()
  const someone = await person(platform)
  const add = ({ origin: url }: { origin: string }) =>
    call(someone, vault.addToVault, { body: { url, token: 'a-token' } })
  for (const site of more.slice(0, 4)) t.is((await add(site)).status, 201)
  const answers = await Promise.all([...more.slice(4), sites.tracker, sites.badTools].map(add))
  t.is(answers.filter(({ status }) => status === 201).length, 1)
  const refused = answers.filter(({ status }) => status !== 201).map(({ failure }) => failure.code)
  t.deepEqual([...new Set(refused)], ['VAULT_LIMIT_REACHED'])
})

test('a tool can be called directly, and its call is on record', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  const entryId = await connectTracker(someone, sites)
  const params = { entryId, toolName: 'search_issues' }
  const { body } = await call(someone, vault.callTool, { params, body: { status: 'open' } })
  t.true(Array.isArray(body.result['results']))
  const row = await platform.services.database('direct_tool_calls').where({ id: body.callId }).first()
  t.like(row, { status: 'succeeded', tool: 'search_issues', httpStatus: 200 })
  t.true(sites.tracker.requests().some(({ idempotencyKey }) => idempotencyKey === `direct:${body.callId}`))
})

test('a webhook becomes a run that calls a tool of a connected site', async (t) => {
  const { sites, platform } = await open()
  const someone = await customer(platform)
  const entryId = await connectTracker(someone, sites)
  const agent = await webhookAgent(someone, { sites: [{ vaultEntryId: entryId, tools: ['issues.createIssue'] }] })

  const { status, body } = await deliver(platform, agent, { title: 'It is broken', content: 'See for yourself.' })
  t.is(status, 202)
  t.like(body, { status: 'queued', sequence: 1, ahead: 0 })

  const run = await ended(someone, body.runId)
  t.is(run.status, 'completed')
  t.is(run.triggeredBy, 'Triggered by: Webhook')
  const sent = sites.tracker.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(body.runId))
  t.like(sent, { 0: { tool: 'issues.createIssue', status: 200, idempotencyKey: `${body.runId}:1:0` }, length: 1 })
  const timeline = await timelineOf(someone, body.runId)
  t.deepEqual(
    timeline.map(({ kind }) => kind),
    [
      'accepted',
      'started',
      'step.started',
      'step.finished',
      'tool.started',
      'tool.finished',
      'step.started',
      'step.finished',
      'ended',
    ],
  )
  t.deepEqual(
    timeline.map(({ number }) => number),
    timeline.map((_, index) => index + 1),
  )
})

test('a new token is tried with a tool that only reads and needs no arguments, and a wrong one is told at once', async (t) => {
  const { sites, more, platform } = await open()
  const someone = await customer(platform)
  const { tracker } = sites
  const body = { url: tracker.origin, token: 'no-such-token' }
  const params = { entryId: (await call(someone, vault.addToVault, { body })).body.id }
  // On a busy machine the trial may end after the answer.
  const until = (isSo: (entry: { status: string; acceptedAt: string | null }) => boolean) =>
    eventually(20, 'the trial of a token had this result', async () => {
      const { body } = await call(someone, vault.getVaultEntry, { params })
      return isSo(body) ? body : undefined
    })
  const replace = (token: string) => call(someone, vault.replaceVaultToken, { params, body: { token } })
  const wrong = await until(({ status }) => status === 'needs_reauth')
  t.like(wrong, { statusReason: 'The site does not accept the token.', acceptedAt: null })
  await replace(tracker.createToken('ada'))
  t.like(await until(({ acceptedAt }) => acceptedAt !== null), { status: 'connected', statusReason: null })
  await replace('another-wrong-one')
  t.like(await until(({ status }) => status === 'needs_reauth'), { acceptedAt: null })
  const { items } = (await call(someone, vaultCalls.listCalls, { params })).body
  t.deepEqual(new Set(items.map(({ tool }) => tool)), new Set(['search_issues']))
  t.is(items.length, 3, 'each trial is on record')

  const url = more[5]?.origin ?? ''
  const untried = (await call(someone, vault.addToVault, { body: { url, token: 'any-token' } })).body
  t.like(untried, { status: 'connected', acceptedAt: null }, 'it has no such tool')
  await call(someone, vault.callTool, { params: { entryId: untried.id, toolName: 'echo_text' }, body: { text: 'a' } })
  t.not((await call(someone, vault.getVaultEntry, { params: { entryId: untried.id } })).body.acceptedAt, null)
})

test('a site that is slow with the trial of a token is connected all the same', async (t) => {
  const tool = { effect: 'read', scope: 'read', input_schema: { type: 'object' }, description: 'Lists.' }
  const once = { ...tool, name: 'list_nothing', effect: 'once' }
  const site = await startHostileSite(t)
  const manifest = manifestWith(`${site.origin}/api`)
  site.manifest = (_request, response) =>
    void response.end(JSON.stringify({ ...manifest, tools: [once, { ...tool, name: 'list_all' }] }))
  const called = Promise.withResolvers<string | undefined>()
  site.tool = (request) => called.resolve(request.url)
  const { caFile } = await temporaryCertificates()
  const platform = await startPlatform(t, { env: { SITE_ALLOW: site.host, SITE_CA_FILE: caFile } })
  const someone = await person(platform)
  const begun = performance.now()
  const { body, status } = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })
  t.is(status, 201)
  t.true(performance.now() - begun < 20_000)
  t.like(body, { status: 'connected', acceptedAt: null })
  t.is(await called.promise, '/api/tools/list_all', 'never a tool that may do something')
})

test('a replaced token is the one that is sent from then on', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  const entryId = await connectTracker(someone, sites)
  const status = async () => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body.status
  const search = () => call(someone, vault.callTool, { params: { entryId, toolName: 'search_issues' }, body: {} })

  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'no-such-token' } })
  const refused = await search()
  t.is(refused.failure.code, 'TOOL_EXECUTION_ERROR')
  t.is(await status(), 'needs_reauth')
  const token = sites.tracker.createToken('ada')
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })
  t.is(await status(), 'connected')
  t.is((await search()).status, 200)
})

test('an agent loses the tools of a site that is removed from the vault', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  const entryId = await connectTracker(someone, sites)
  const agent = await agentOf(someone, { sites: [{ vaultEntryId: entryId }] })
  const force = { force: 'true' }
  t.is((await call(someone, vault.removeFromVault, { params: { entryId }, query: force })).status, 204)
  const { body } = await call(someone, agents.getAgent, { params: { agentId: agent.id } })
  t.deepEqual(body.sites, [])
})

test('a token is not sent to a host outside the site unless the host was accepted', async (t) => {
  const { changing, platform } = await open()
  const someone = await person(platform)
  changing.change({ server: { url: `${changing.foreignOrigin}/v1` } })
  const body = { url: changing.origin, token: 'a-token' }
  const refused = await call(someone, vault.addToVault, { body })
  t.is(refused.failure.code, 'VALIDATION_ERROR')
  t.is(refused.failure.details?.[0]?.path, 'acceptHosts')
  t.deepEqual((await call(someone, vault.listVault)).body.items, [])
  const { foreignHosts } = (await call(someone, siteInspection.inspectSite, { body: { url: body.url } })).body
  t.deepEqual(foreignHosts, ['localhost'])

  const accepted = await call(someone, vault.addToVault, { body: { ...body, acceptHosts: foreignHosts } })
  t.deepEqual(changing.requests, [], 'nobody was sent the token so far')
  const params = { entryId: accepted.body.id, toolName: 'get_one' }
  t.is((await call(someone, vault.callTool, { params, body: {} })).status, 200)
  t.like(changing.requests, { 0: { origin: changing.otherOrigin, authorized: true }, length: 1 })
})

test('an entry that is changed and removed at the same instant is changed or not there, never an internal error', async (t) => {
  const { sites, platform } = await open()
  const someone = await person(platform)
  for (let round = 0; round < 5; round += 1) {
    const entryId = await connectTracker(someone, sites)
    const changes = Array.from({ length: 6 }, () =>
      call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another' } }),
    )
    const making = Array.from({ length: 4 }, () =>
      call(someone, agents.createAgent, {
        body: { name: 'n', systemPrompt: 'p', trigger: 'manual', sites: [{ vaultEntryId: entryId }] },
      }),
    )
    await call(someone, vault.removeFromVault, { params: { entryId }, query: { force: 'true' } })
    for (const { status } of await Promise.all(changes)) t.true([200, 404].includes(status))
    for (const { status } of await Promise.all(making)) t.true([201, 400, 403].includes(status))
  }
})
