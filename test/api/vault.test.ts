import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as vaultCalls from '../../api/calls.ts'
import * as vault from '../../api/vault.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import { startChangingSite } from '../helpers/changing-site.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { manifestWith, startHostileSite } from '../helpers/hostile-site.ts'
import { agentOf, connectTracker, customer, person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startMoreSites, startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = sharedPlatform(test)
const sitesOf = forWholeFile(test, 'the vault', startSites)
const open = async () => ({ platform: await platformOf(), sites: await sitesOf() })

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
      ['delete_closed_issues', 'delete', 'idempotent'],
      ['admin.updateSettings', 'admin', 'idempotent'],
    ],
  )
})

// @promise limits
test('the vault limit of the tier holds between requests at the same instant', async (t) => {
  const { sites, platform } = await open()
  const more = await startMoreSites(t, 4)
  const someone = await person(platform)
  const add = (url: string) => call(someone, vault.addToVault, { body: { url, token: 'a-token' } })
  for (const url of more) t.is((await add(url)).status, 201)
  const answers = await Promise.all([sites.tracker.origin, sites.badTools.origin].map(add))
  t.is(answers.filter(({ status }) => status === 201).length, 1)
  const refused = answers.filter(({ status }) => status !== 201).map(({ failure }) => failure.code)
  t.deepEqual([...new Set(refused)], ['VAULT_LIMIT_REACHED'])
})

test('a new token is tried with a tool that only reads and needs no arguments, and a wrong one is told at once', async (t) => {
  const { sites, platform } = await open()
  const someone = await customer(platform)
  const { tracker } = sites
  const body = { url: tracker.origin, token: 'no-such-token' }
  const params = { entryId: (await call(someone, vault.addToVault, { body })).body.id }
  const { failure } = await call(someone, vault.addToVault, { body })
  t.is(failure.code, 'TOKEN_EXISTS')
  t.true(failure.error.includes(`PATCH /vault/${params.entryId}`), failure.error)
  // On a busy machine the trial may end after the answer.
  const until = (isSo: (entry: { status: string; acceptedAt: string | null }) => boolean) =>
    eventually(20, 'the trial of a token had this result', async () => {
      const { body } = await call(someone, vault.getVaultEntry, { params })
      return isSo(body) ? body : undefined
    })
  const replace = (token: string) => call(someone, vault.replaceVaultToken, { params, body: { token } })
  const wrong = await until(({ status }) => status === 'needs_reauth')
  t.like(wrong, { statusReason: 'The site rejected the token.', acceptedAt: null })
  await replace(tracker.createToken('ada'))
  t.like(await until(({ acceptedAt }) => acceptedAt !== null), { status: 'connected', statusReason: null })
  await replace('another-wrong-one')
  t.like(await until(({ status }) => status === 'needs_reauth'), { acceptedAt: null })
  const { items } = (await call(someone, vaultCalls.listCalls, { params })).body
  t.deepEqual(new Set(items.map(({ tool }) => tool)), new Set(['search_issues']))
  t.is(items.length, 3, 'each trial is on record')

  const url = sites.badTools.origin
  const untried = (await call(someone, vault.addToVault, { body: { url, token: 'any-token' } })).body
  t.like(untried, { status: 'connected', acceptedAt: null }, 'it has no such tool')
  await call(someone, vault.callTool, { params: { entryId: untried.id, toolName: 'echo_text' }, body: { text: 'a' } })
  t.not((await call(someone, vault.getVaultEntry, { params: { entryId: untried.id } })).body.acceptedAt, null)
})

test('a site that is slow with the trial of a token is connected all the same', async (t) => {
  const tool = { effect: 'read', scope: 'read', input_schema: { type: 'object' }, description: 'Lists.' }
  const once = { ...tool, name: 'list_nothing', effect: 'once' }
  const privileged = { ...tool, name: 'list_secrets', scope: 'admin' }
  const site = await startHostileSite(t)
  const manifest = manifestWith(`${site.origin}/api`)
  site.manifest = (_request, response) =>
    void response.end(JSON.stringify({ ...manifest, tools: [once, privileged, { ...tool, name: 'list_all' }] }))
  const called = Promise.withResolvers<string | undefined>()
  site.tool = (request) => called.resolve(request.url)
  const { platform } = await open()
  const someone = await person(platform)
  const begun = performance.now()
  const { body, status } = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })
  t.is(status, 201)
  t.true(performance.now() - begun < 20_000)
  t.like(body, { status: 'connected', acceptedAt: null })
  t.is(await called.promise, '/api/tools/list_all', 'never a tool that may do something')
})

test('a token is not sent to a host outside the site unless the host was accepted', async (t) => {
  const [{ platform }, changing] = [await open(), await startChangingSite(t)]
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
  for (let round = 0; round < 3; round += 1) {
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

test('an entry says how many agents can use it, and the list of agents can be restricted to them', async (t) => {
  const { sites, platform } = await open()
  const someone = await customer(platform)
  const entryId = await connectTracker(someone, sites)
  const entry = async () => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body
  const users = async (vaultEntryId: string, client = someone) =>
    (await call(client, agents.listAgents, { query: { vaultEntryId } })).body.items.map(({ name }) => name)
  t.is((await entry()).agentCount, 0)
  const first = await agentOf(someone, { name: 'First', sites: [{ vaultEntryId: entryId }] })
  await agentOf(someone, { name: 'Second', sites: [{ vaultEntryId: entryId, tools: ['search_issues'] }] })
  await agentOf(someone, { name: 'Without the site' })
  t.is((await entry()).agentCount, 2)
  t.deepEqual(await users(entryId), ['Second', 'First'])
  t.deepEqual(await users('no-id'), [])
  t.deepEqual(await users(entryId, await customer(platform)), [])
  await call(someone, agents.deleteAgent, { params: { agentId: first.id } })
  t.is((await entry()).agentCount, 1)
  const listed = (await call(someone, vault.listVault)).body.items
  t.like(listed[0], { id: entryId, agentCount: 1, endsAt: null, refreshAfter: null })
  t.deepEqual(await users(entryId), ['Second'])
})
