import test, { type ExecutionContext } from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as oauthClient from '../../api/oauth-client.ts'
import * as oauth from '../../api/oauth.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { call, type Failure } from '../helpers/client.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { signInAt } from '../helpers/identity-provider.ts'
import { issuerKeyOf, pasted, startAuthorizedMcpServer } from '../helpers/mcp-authorization.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start as startRun } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'mcp-sign-in', (t) => startPlatform(t))
const workingPlatform = forWholeFile(test, 'mcp-sign-in of runs', (t) =>
  startPlatform(t, { worker: true, env: { RECONCILE_SECONDS: '1' } }),
)

/** Somebody, and an MCP server of the test's own that wants sign-in. */
async function open(
  t: ExecutionContext,
  options: { registers?: boolean; method?: 'client_secret_post'; withWorker?: boolean } = {},
) {
  const platform = await (options.withWorker ? workingPlatform : platformOf)()
  const site = await startAuthorizedMcpServer(t, { ...options, platformUrl: platform.url })
  const someone = await customer(platform, 'enterprise')
  const { server, redirectUri } = site

  const start = (more: { clientId?: string; clientSecret?: string } = {}) =>
    call(someone, oauth.startOAuth, { body: { url: server.url, acceptHosts: [site.host], ...more } })

  /** Plays the browser from the platform's address to the site and back. */
  async function browse(connectUrl: string, change: (address: URL) => void = () => {}) {
    const { location, cookie } = await openConnectUrl(someone, connectUrl)
    const back = new URL(await signInAt(location, { user: 'ada' }))
    change(back)
    const response = await comeBack(someone, back.href, cookie)
    return { asked: new URL(location).searchParams, body: (await response.json()) as { entryId?: string } & Failure }
  }

  async function connect(more: Parameters<typeof start>[0] = {}) {
    const { body } = await browse((await start(more)).body.connectUrl)
    if (!body.entryId) throw new Error(`The site was not connected: ${JSON.stringify(body)}`)
    return body.entryId
  }

  const use = (entryId: string, toolName = 'count') =>
    call(someone, vault.callTool, { params: { entryId, toolName }, body: {} })
  const entryOf = async (entryId: string) => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body
  const rowOf = (entryId: string) => VaultEntry.query(platform.services.database).findById(entryId).throwIfNotFound()
  return { platform, site, server, someone, start, browse, connect, use, entryOf, rowOf, redirectUri }
}

test('a server is connected by signing in, with a client that the platform registers and its own scopes', async (t) => {
  const { site, server, someone, start, browse, use, entryOf, redirectUri } = await open(t)
  const inspected = (await call(someone, siteInspection.inspectSite, { body: { url: server.url } })).body
  t.like(inspected, { authType: 'oauth2', foreignHosts: [site.host], needsClientId: false, tools: { length: 0 } })
  const started = (await start()).body
  const scopes = ['notes:read', 'notes/write+all', 'offline_access']
  t.deepEqual(started.scopes, scopes)
  const { asked, body } = await browse(started.connectUrl)
  t.like(Object.fromEntries(asked), { resource: server.url, scope: scopes.join(' '), code_challenge_method: 'S256' })
  const registration = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  // The server registers no scopes of a protected resource, so it is asked once more without them.
  t.like(site.registrations, { 0: { ...registration, scope: scopes.join(' ') }, 1: registration, length: 2 })
  t.is(site.tokenRequests[0]?.form.get('resource'), server.url)
  const entryId = body.entryId ?? ''
  t.like(await entryOf(entryId), {
    name: 'Test server',
    origin: server.url,
    status: 'connected',
    scopes: scopes.slice(0, 2),
  })
  const { items } = (await call(someone, vault.listTools, { params: { entryId } })).body
  t.deepEqual(
    items.map(({ name, usable }) => [name, usable]),
    ['add', 'say', 'fail', 'count'].map((name) => [name, true]),
  )
  t.is((await use(entryId)).status, 200)
  t.is((await start()).failure.code, 'TOKEN_EXISTS')
  t.like((await call(someone, manifests.refreshManifest, { params: { entryId } })).body, { class: 'none' })
  await call(someone, vault.removeFromVault, { params: { entryId }, query: { force: 'true' } })
  t.is(site.revocations.length, 1)
})

test('an expired token is refreshed once for thirty calls at the same time, for the same service', async (t) => {
  const { platform, site, server, connect, use, rowOf } = await open(t)
  const entryId = await connect()
  const past = new Date(Date.now() - 1000)
  await VaultEntry.query(platform.services.database).findById(entryId).patch({ expiresAt: past, refreshAfter: past })
  const before = (await rowOf(entryId)).generation
  const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await use(entryId)).status))
  t.deepEqual(new Set(statuses), new Set([200]))
  const refreshes = site.tokenRequests.filter(({ form }) => form.get('grant_type') === 'refresh_token')
  t.deepEqual(
    refreshes.map(({ form }) => form.get('resource')),
    [server.url],
  )
  t.like(await rowOf(entryId), {
    generation: before + 1,
    foreignScopes: { granted: ['notes:read', 'notes/write+all'] },
  })
})

test('an expired token is refreshed once for thirty runs at the same time, and none of their calls is made twice', async (t) => {
  const { platform, site, server, someone, connect } = await open(t, { withWorker: true })
  const vaultEntryId = await connect()
  const past = new Date(Date.now() - 1000)
  const row = VaultEntry.query(platform.services.database).findById(vaultEntryId)
  await row.patch({ expiresAt: past, refreshAfter: past })
  const fields = { systemPrompt: '[[call count]] [[then]] [[say Done.]]', sites: [{ vaultEntryId }] }
  const all = await Promise.all(Array.from({ length: 30 }, () => agentOf(someone, fields)))
  const runs = await Promise.all(all.map((agent) => startRun(someone, agent)))
  const timelines = await Promise.all(
    runs.map(async ({ body: { id } }) => {
      await ended(someone, id, 120)
      return timelineOf(someone, id)
    }),
  )
  const outcomes = timelines.flatMap((timeline) => dataOf(timeline, 'tool.finished'))
  t.deepEqual(
    outcomes.map(({ status, attempts }) => [status, attempts]),
    Array.from({ length: 30 }, () => ['succeeded', 1]),
  )
  t.is(server.calls().length, 30)
  t.is(site.tokenRequests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length, 1)
})

test('a refresh that is refused for its token ends the connection until its owner signs in again', async (t) => {
  const { site, someone, browse, connect, use, entryOf } = await open(t)
  const entryId = await connect()
  site.forget()
  t.is((await use(entryId)).failure.code, 'TOOL_EXECUTION_ERROR')
  t.like(await entryOf(entryId), { status: 'needs_reauth' })
  const again = await call(someone, oauth.startOAuth, { body: { entryId } })
  t.is((await browse(again.body.connectUrl)).body.entryId, entryId)
  t.is((await use(entryId)).status, 200)
  t.is(site.registrations.length, 4, 'no client is used for two flows')
})

test('a server that registers nobody is connected with a client id and its secret, which is used and not shown', async (t) => {
  const { platform, site, server, someone, start, connect, use, rowOf, redirectUri } = await open(t, {
    registers: false,
  })
  const inspected = (await call(someone, siteInspection.inspectSite, { body: { url: server.url } })).body
  t.like(inspected, { needsClientId: true, redirectUri })
  const { code, error, details } = (await start()).failure
  t.deepEqual([code, details?.[0]?.path, error.includes(redirectUri)], ['VALIDATION_ERROR', 'clientId', true])
  const entryId = await connect(pasted)
  const past = new Date(Date.now() - 1000)
  await VaultEntry.query(platform.services.database).findById(entryId).patch({ expiresAt: past, refreshAfter: past })
  t.is((await use(entryId)).status, 200)
  const encoded = [pasted.clientId, pasted.clientSecret].map((one) => encodeURIComponent(one))
  const sent = site.tokenRequests.map(({ authorization }) => atob(authorization?.replace('Basic ', '') ?? ''))
  t.deepEqual(sent, [encoded.join(':'), encoded.join(':')])
  const again = (await call(someone, oauth.startOAuth, { body: { entryId } })).status
  t.is(again, 201, 'the client of the entry is used again')
  t.false(JSON.stringify([await rowOf(entryId), platform.logs]).includes(pasted.clientSecret))
})

test('a response from another issuer is refused without its words, and a slash makes another issuer', async (t) => {
  const { site, start, browse } = await open(t)
  const words = 'Call this number to continue'
  for (const change of [
    (address: URL) => address.searchParams.set('iss', `${site.issuer}/`),
    (address: URL) => address.searchParams.delete('iss'),
    ({ searchParams }: URL) => {
      searchParams.delete('code')
      for (const [name, value] of Object.entries({
        iss: 'https://evil.example',
        error: 'access_denied',
        error_description: words,
      }))
        searchParams.set(name, value)
    },
  ]) {
    const { body } = await browse((await start()).body.connectUrl, change)
    t.is(body.code, 'VALIDATION_ERROR')
    t.false(JSON.stringify(body).includes(words))
  }
  t.is(site.tokenRequests.length, 0)
})

test('a server that names the sign-in page of another one gets none of its codes', async (t) => {
  const { platform, site: honest, someone } = await open(t)
  const hostile = await startAuthorizedMcpServer(t, { platformUrl: platform.url })
  hostile.metadata = {
    authorization_endpoint: `${honest.issuer}/auth`,
    authorization_response_iss_parameter_supported: false,
  }
  const body = { url: hostile.server.url, acceptHosts: [hostile.host, honest.host], ...pasted }
  const { connectUrl } = (await call(someone, oauth.startOAuth, { body })).body
  const { location, cookie } = await openConnectUrl(someone, connectUrl)
  const sent = new URL(location)
  t.like(Object.fromEntries(sent.searchParams), { client_id: pasted.clientId, redirect_uri: hostile.redirectUri })
  await t.throwsAsync(signInAt(sent.href, { user: 'ada' }))
  // A server that ignores the parameter sends the browser to the address that it knows.
  sent.searchParams.set('redirect_uri', honest.redirectUri)
  sent.searchParams.set('resource', honest.server.url)
  const back = new URL(await signInAt(sent.href, { user: 'ada' }))
  t.true(back.href.startsWith(honest.redirectUri) && back.searchParams.has('code'))
  back.searchParams.delete('iss')
  for (const path of [back.pathname, '/vault/oauth/callback']) {
    const response = await comeBack(someone, new URL(`${path}${back.search}`, platform.url).href, cookie)
    t.like(await response.json(), { code: 'VALIDATION_ERROR' })
  }
  t.is(hostile.tokenRequests.length, 0)
})

test('a grant whose tools cannot be listed connects nothing and is revoked', async (t) => {
  const { site, server, someone, start, browse } = await open(t)
  const { connectUrl } = (await start()).body
  server.instead = ({ authorization }, _request, response) => {
    if (authorization === undefined) return false
    response.writeHead(404).end()
    return true
  }
  const { body } = await browse(connectUrl)
  t.is(body.code, 'MANIFEST_NOT_FOUND')
  t.is(site.revocations.length, 1)
  t.deepEqual((await call(someone, vault.listVault)).body.items, [])
})

test('a scope that a call lacks is named to the owner, and requested when she authorizes the site again', async (t) => {
  const { site, someone, browse, connect, use, entryOf } = await open(t)
  const entryId = await connect()
  site.callScope = 'notes:delete'
  t.like((await use(entryId)).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed' })
  const entry = await entryOf(entryId)
  t.is(entry.status, 'connected')
  t.regex(entry.statusReason ?? '', /needs the scope "notes:delete"\. Authorize the site again/)
  const started = (await call(someone, oauth.startOAuth, { body: { entryId } })).body
  t.deepEqual(started.scopes.toSorted(), ['notes/write+all', 'notes:delete', 'notes:read', 'offline_access'])
  t.is((await browse(started.connectUrl)).body.entryId, entryId)
  t.is((await use(entryId)).status, 200)
  t.is((await entryOf(entryId)).statusReason, null)
  site.callScope = 'never:granted'
  await use(entryId)
  t.is((await entryOf(entryId)).status, 'connected')
  t.is(site.tokenRequests.length, 2, 'nothing is requested without the owner')
})

test('a server that names tokens as scopes puts them neither into answers nor into rows', async (t) => {
  const { platform, site, server, someone, start, browse, use, entryOf, rowOf } = await open(t)
  const secrets: string[] = []
  site.tokenAnswer = ({ access_token: access, refresh_token: refresh }) => {
    secrets.push(String(access), String(refresh))
    return { scope: `notes:read ${secrets.join(' ')} with-${secrets[0]}` }
  }
  const connected = (await browse((await start()).body.connectUrl)).body
  const entryId = connected.entryId ?? ''
  server.guard = async ({ authorization, method }, response) => {
    if (method !== 'tools/call') return false
    const scope = `notes:more ${authorization?.replace('Bearer ', '')}`
    response.writeHead(403, { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }).end()
    return true
  }
  const used = (await use(entryId)).failure
  t.deepEqual((await rowOf(entryId)).foreignScopes, { granted: ['notes:read'], asked: ['notes:more'] })
  const started = (await call(someone, oauth.startOAuth, { body: { entryId } })).body
  const { location } = await openConnectUrl(someone, started.connectUrl)
  const shown = JSON.stringify([connected, used, await entryOf(entryId), await rowOf(entryId), started, location])
  t.deepEqual(
    [secrets.length, secrets.filter((secret) => [shown, platform.logs.join()].join().includes(secret))],
    [2, []],
  )
})

test('a scope that a call lacks and the authorization server does not know does not end all further sign-ins', async (t) => {
  const { site, someone, browse, connect, use, entryOf } = await open(t)
  const entryId = await connect()
  site.callScope = 'never:known'
  await use(entryId)
  const again = async () => (await call(someone, oauth.startOAuth, { body: { entryId } })).body
  const started = await again()
  t.true(started.scopes.includes(site.callScope))
  const { body } = await browse(started.connectUrl, ({ searchParams }) => {
    searchParams.delete('code')
    searchParams.set('error', 'invalid_scope')
  })
  t.is(body.code, 'TOOL_EXECUTION_ERROR')
  t.regex(body.error, /“invalid_scope”.* will not be requested again\. Authorize the site again\.$/)
  t.is((await entryOf(entryId)).statusReason, null)
  const second = await again()
  t.deepEqual(second.scopes.toSorted(), ['notes/write+all', 'notes:read', 'offline_access'])
  t.is((await browse(second.connectUrl)).body.entryId, entryId)
})

test('a secret that a server gives the platform is sealed, and proves it at each request for the owner', async (t) => {
  const { platform, site, someone, connect, use, rowOf } = await open(t, { method: 'client_secret_post' })
  const entryId = await connect()
  const past = new Date(Date.now() - 1000)
  await VaultEntry.query(platform.services.database).findById(entryId).patch({ expiresAt: past, refreshAfter: past })
  // The list is asked for with a fresh token too.
  t.like((await call(someone, manifests.refreshManifest, { params: { entryId } })).body, { class: 'none' })
  t.is(site.tokenRequests.length, 2)
  t.is((await use(entryId)).status, 200)
  const row = await rowOf(entryId)
  await call(someone, vault.removeFromVault, { params: { entryId }, query: { force: 'true' } })
  const forms = [...site.tokenRequests.map(({ form }) => form), ...site.revocations]
  const [secret = '', ...others] = new Set(forms.map((form) => form.get('client_secret') ?? ''))
  t.deepEqual([forms.length, secret.length > 20, others], [3, true, []])
  t.false(JSON.stringify([row, platform.logs]).includes(secret))
})

test('an endpoint that may not be reached is refused, and nothing is sent there', async (t) => {
  const { site, start } = await open(t)
  const address = 'https://10.0.0.1/endpoint'
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
    site.metadata = { [endpoint]: address }
    const { code, error } = (await start()).failure
    t.is(code, 'MANIFEST_INVALID')
    t.regex(error, /is not a public internet address/)
  }
  site.metadata = { registration_endpoint: address }
  const { code, error } = (await start()).failure
  t.is(code, 'TOOL_EXECUTION_ERROR')
  t.regex(error, /did not register the platform .* could not be reached/)
})

test('a server that moves to another authorization server gets neither tokens nor the client of the first', async (t) => {
  const { site, someone, browse, connect, use, entryOf } = await open(t)
  const other = await startAuthorizedMcpServer(t)
  const params = { entryId: await connect() }
  site.resource.authorization_servers = [other.issuer]
  const found = (await call(someone, manifests.refreshManifest, { params })).body
  t.like(found, { class: 'changed_address', status: 'pending' })
  t.is((await use(params.entryId)).status, 200, 'the first one is used until the owner accepts the move')
  const body = { fingerprint: found.fingerprint, acceptHosts: [other.host] }
  t.is((await call(someone, manifests.acceptManifest, { params, body })).status, 200)
  t.like(await entryOf(params.entryId), { status: 'needs_reauth', scopes: null })
  t.is(site.revocations.length, 1)
  const clients = new Set(site.tokenRequests.map(({ form }) => form.get('client_id')))
  const started = (await call(someone, oauth.startOAuth, { body: params })).body
  const { asked, body: flow } = await browse(started.connectUrl)
  t.is(flow.entryId, params.entryId)
  t.false(clients.has(asked.get('client_id')))
  t.deepEqual(
    other.tokenRequests.map(({ form }) => form.get('grant_type')),
    ['authorization_code'],
  )
})

test('a platform on the internet is named by the address of its metadata where servers read it', async (t) => {
  const platform = await startPlatform(t, { env: { BASE_URL: 'https://switchyard.example.com' } })
  const site = await startAuthorizedMcpServer(t)
  site.metadata = { client_id_metadata_document_supported: true }
  const someone = await customer(platform)
  const body = { url: site.server.url, acceptHosts: [site.host] }
  const { connectUrl } = (await call(someone, oauth.startOAuth, { body })).body
  const asked = new URL((await openConnectUrl(someone, connectUrl)).location).searchParams
  const issuerKey = issuerKeyOf(site.issuer)
  const document = (await call(someone, oauthClient.readOAuthClient, { params: { issuerKey } })).body
  const own = `https://switchyard.example.com/vault/oauth/client/${issuerKey}`
  t.is(asked.get('client_id'), own)
  t.like(document, { client_id: own, redirect_uris: [asked.get('redirect_uri')] })
  t.is(site.registrations.length, 0)
  // Any server takes the document of any other, so this one gets nobody to the page of another without `iss`.
  const other = await startAuthorizedMcpServer(t)
  Object.assign(site.metadata, {
    authorization_endpoint: `${other.issuer}/auth`,
    authorization_response_iss_parameter_supported: false,
  })
  const started = (await call(someone, oauth.startOAuth, { body: { ...body, acceptHosts: [site.host, other.host] } }))
    .body
  const elsewhere = new URL((await openConnectUrl(someone, started.connectUrl)).location)
  t.is(elsewhere.origin, other.issuer)
  t.false(elsewhere.searchParams.get('client_id')?.startsWith('https:'))
})
