import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { call } from '../helpers/client.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { agentOf, connectTracker, customer, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'

test('inspecting a site shows its tools with scope and effect', async (t) => {
  const sites = await startSites(t)
  const someone = await person(await startPlatform(t, { sites }))
  const { body } = await call(someone, vault.inspectSite, { body: { url: sites.tracker.origin } })
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
  const sites = await startSites(t)
  const someone = await customer(await startPlatform(t, { sites }))
  const body = { url: sites.tracker.origin, token: sites.tracker.createToken('ada') }
  const answers = await Promise.all(Array.from({ length: 8 }, () => call(someone, vault.addToVault, { body })))
  t.is(answers.filter(({ status }) => status === 201).length, 1)
  t.is(answers.filter(({ status }) => status === 409).length, 7)
})

test('the vault limit of the tier holds between requests at the same instant', async (t) => {
  const sites = await startSites(t)
  const tls = await temporaryCertificates()
  const more = await Promise.all(Array.from({ length: 6 }, () => startBadTools({ port: 0, tls })))
  for (const { close } of more) t.teardown(close)
  const allow = [...sites.allow, ...more.map(({ origin }) => new URL(origin).host)]
  const someone = await person(await startPlatform(t, { sites: { ...sites, allow } }))
  const add = ({ origin: url }: { origin: string }) =>
    call(someone, vault.addToVault, { body: { url, token: 'a-token' } })
  for (const site of more.slice(0, 4)) t.is((await add(site)).status, 201)
  const answers = await Promise.all([...more.slice(4), sites.tracker, sites.badTools].map(add))
  t.is(answers.filter(({ status }) => status === 201).length, 1)
})

test('a tool can be called directly, and its call is on record', async (t) => {
  const sites = await startSites(t)
  const { services, ...platform } = await startPlatform(t, { sites })
  const someone = await person(platform)
  const entryId = await connectTracker(someone, sites)
  const params = { entryId, toolName: 'search_issues' }
  const { body } = await call(someone, vault.callTool, { params, body: { status: 'open' } })
  t.true(Array.isArray(body.result['results']))
  const [row] = await services.database('tool_calls')
  t.like(row, { id: body.callId, status: 'succeeded', origin: 'direct', httpStatus: 200 })
  t.is(sites.tracker.requests().at(-1)?.idempotencyKey, `direct:${body.callId}`)
})

test('a replaced token is the one that is sent from then on', async (t) => {
  const sites = await startSites(t)
  const someone = await person(await startPlatform(t, { sites }))
  const entryId = await connectTracker(someone, sites)
  const search = () => call(someone, vault.callTool, { params: { entryId, toolName: 'search_issues' }, body: {} })

  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'no-such-token' } })
  const refused = await search()
  t.is(refused.failure.code, 'TOOL_EXECUTION_ERROR')
  t.regex(refused.failure.error, /does not accept the token/)
  const token = sites.tracker.createToken('ada')
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })
  t.is((await search()).status, 200)
})

test('an agent loses the tools of a site that is removed from the vault', async (t) => {
  const sites = await startSites(t)
  const someone = await person(await startPlatform(t, { sites }))
  const entryId = await connectTracker(someone, sites)
  const agent = await agentOf(someone, { sites: [{ vaultEntryId: entryId }] })
  t.is((await call(someone, vault.removeFromVault, { params: { entryId } })).status, 204)
  const { body } = await call(someone, agents.getAgent, { params: { agentId: agent.id } })
  t.deepEqual(body.sites, [])
})

test('a token is not sent to a host outside the site unless the host was accepted', async (t) => {
  const sites = await startSites(t)
  const someone = await person(await startPlatform(t, { sites }))
  sites.brokenManifest.serve('foreign-host')
  const body = { url: sites.brokenManifest.origin, token: 'a-token' }
  const refused = await call(someone, vault.addToVault, { body })
  t.is(refused.failure.code, 'VALIDATION_ERROR')
  const { foreignHosts } = (await call(someone, vault.inspectSite, { body: { url: body.url } })).body
  t.true(foreignHosts.length > 0)
  t.true(refused.failure.error.includes(foreignHosts[0] ?? ''))
  const accepted = await call(someone, vault.addToVault, { body: { ...body, acceptHosts: foreignHosts } })
  t.is(accepted.status, 201)
})

test('an entry that is changed and removed at the same instant is changed or not there, never an internal error', async (t) => {
  const sites = await startSites(t)
  const someone = await person(await startPlatform(t, { sites }))
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
    await call(someone, vault.removeFromVault, { params: { entryId } })
    for (const { status } of await Promise.all(changes)) t.true([200, 404].includes(status))
    for (const { status } of await Promise.all(making)) t.true([201, 400, 403].includes(status))
  }
})
