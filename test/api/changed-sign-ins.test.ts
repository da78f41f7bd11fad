import test, { type ExecutionContext } from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as oauth from '../../api/oauth.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { call, type Failure } from '../helpers/client.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { signInAt } from '../helpers/identity-provider.ts'
import { startAuthorizedMcpServer } from '../helpers/mcp-authorization.ts'
import type { Received } from '../helpers/mcp-server.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'changed-sign-ins', (t) => startPlatform(t, { worker: true }))

const token = 'a-token-that-the-owner-made'

type Guard = Awaited<ReturnType<typeof startAuthorizedMcpServer>>['server']['guard']

/** Somebody, and an MCP server that changes who may do what. */
async function open(t: ExecutionContext) {
  const platform = await platformOf()
  const site = await startAuthorizedMcpServer(t, { platformUrl: platform.url })
  const { server } = site
  const someone = await customer(platform)
  const { guard: signedIn, elsewhere } = server
  const guards = {
    everybody: async () => false,
    /** Only with a grant of the authorization server. */
    signedIn,
    /** Only with the pasted token. There is no metadata. */
    pasted: async ({ authorization }: Received, response) => {
      if (authorization === `Bearer ${token}`) return false
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
      return true
    },
  } satisfies Record<string, Guard>
  const setGuard = (name: keyof typeof guards) => {
    server.guard = guards[name]
    server.elsewhere = name === 'signedIn' ? elsewhere : (_request, response) => void response.writeHead(404).end()
  }

  const body = { url: server.url, acceptHosts: [site.host] }
  const inspect = async () => (await call(someone, siteInspection.inspectSite, { body: { url: server.url } })).body
  const add = (more: { token?: string } = {}) => call(someone, vault.addToVault, { body: { ...body, ...more } })
  const startFlow = (target: { entryId: string } | { url: string }, acceptHosts = [site.host]) =>
    call(someone, oauth.startOAuth, { body: { ...target, acceptHosts } })
  async function signIn(target: Parameters<typeof startFlow>[0]) {
    const { location, cookie } = await openConnectUrl(someone, (await startFlow(target)).body.connectUrl)
    const response = await comeBack(someone, await signInAt(location, { user: 'ada' }), cookie)
    const { entryId, ...failure } = (await response.json()) as { entryId?: string } & Failure
    if (entryId === undefined) throw new Error(`The site was not connected: ${JSON.stringify(failure)}`)
    return entryId
  }

  const of = (entryId: string) => ({
    use: () => call(someone, vault.callTool, { params: { entryId, toolName: 'count' }, body: {} }),
    refresh: () => call(someone, manifests.refreshManifest, { params: { entryId } }),
    replace: (given = token) => call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: given } }),
    accept: (fingerprint: string) =>
      call(someone, manifests.acceptManifest, {
        params: { entryId },
        body: { fingerprint, acceptHosts: [site.host] },
      }),
    confirm: () =>
      call(someone, vault.confirmEffects, {
        params: { entryId },
        body: { tools: [{ name: 'add', effect: 'read' as const }] },
      }),
    entry: async () => (await call(someone, vault.getVaultEntry, { params: { entryId } })).body,
    tools: async () => {
      const { items } = (await call(someone, vault.listTools, { params: { entryId } })).body
      return items.map(({ name, effect }) => `${name}: ${effect}`)
    },
    wanted: async () => {
      const row = await VaultEntry.query(platform.services.database).findById(entryId).throwIfNotFound()
      return row.manifestWantedAt !== null
    },
  })
  return { platform, site, server, someone, setGuard, inspect, add, startFlow, signIn, of }
}

const allTools = ['add: read', 'say: once', 'fail: once', 'count: once']

test('a server that begins to want a token keeps its tools, its confirmations and its waiting runs', async (t) => {
  const { platform, someone, setGuard, add, of } = await open(t)
  setGuard('everybody')
  const { id } = (await add()).body
  const { refresh, accept, replace, confirm, tools, entry, wanted } = of(id)
  await confirm()
  setGuard('pasted')
  const agent = await agentOf(someone, {
    systemPrompt: '[[call count]] [[then]] [[say Done.]]',
    sites: [{ vaultEntryId: id }],
  })
  const run = (await start(someone, agent)).body
  const found = (await refresh()).body
  t.like(found, { class: 'breaking', status: 'pending', differences: { 0: { path: 'auth.type' }, length: 1 } })
  t.like((await accept(found.fingerprint)).body, { authType: 'bearer', status: 'needs_reauth' })
  t.deepEqual(await tools(), allTools)
  t.like((await refresh()).body, { class: 'none' })
  t.is((await replace()).body.status, 'connected')
  t.true(await wanted())
  t.is((await ended(someone, run.id)).status, 'completed')
  t.like(dataOf(await timelineOf(someone, run.id), 'tool.finished'), { 0: { status: 'succeeded' }, length: 1 })
  await platform.services.manifests.checkDue()
  t.like(await entry(), { pendingManifest: null, status: 'connected' })
  t.deepEqual(await tools(), allTools)
})

for (const before of ['everybody', 'pasted'] as const)
  test(`a server that begins to want OAuth, and was open to ${before} before, keeps its tools`, async (t) => {
    const { setGuard, add, signIn, of } = await open(t)
    setGuard(before)
    const { id } = (await add(before === 'pasted' ? { token } : {})).body
    const { use, refresh, accept, confirm, tools, wanted } = of(id)
    await confirm()
    setGuard('signedIn')
    t.is((await use()).failure.code, 'TOOL_EXECUTION_ERROR')
    const found = (await refresh()).body
    t.like(found, { class: 'breaking', status: 'pending' })
    t.true(found.differences.every(({ path }) => path.startsWith('auth.')))
    t.like((await accept(found.fingerprint)).body, { authType: 'oauth2', status: 'needs_reauth' })
    t.is(await signIn({ entryId: id }), id)
    t.true(await wanted())
    t.is((await use()).status, 200)
    t.deepEqual(await tools(), allTools)
    t.like((await refresh()).body, { class: 'none' })
  })

test('metadata that is away for a moment changes nothing, and confirmed effects stay', async (t) => {
  const { server, setGuard, signIn, of } = await open(t)
  const { refresh, confirm, tools, entry, use } = of(await signIn({ url: server.url }))
  await confirm()
  const { guard } = server
  setGuard('pasted')
  const { code, error } = (await refresh()).failure
  t.is(code, 'MANIFEST_NOT_FOUND')
  t.regex(error, /does not say how at the moment/)
  t.like(await entry(), { pendingManifest: null, status: 'connected' })
  t.deepEqual(await tools(), allTools)
  setGuard('signedIn')
  server.guard = guard
  t.like((await refresh()).body, { class: 'none' })
  t.deepEqual(await tools(), allTools)
  t.is((await use()).status, 200)
})

test('a server that moves to another authorization server and ends all tokens is found to have moved', async (t) => {
  const { site, server, signIn, of } = await open(t)
  const other = await startAuthorizedMcpServer(t)
  const { use, refresh, tools } = of(await signIn({ url: server.url }))
  site.resource.authorization_servers = [other.issuer]
  site.forget()
  await use()
  const before = await tools()
  t.like((await refresh()).body, { class: 'changed_address', status: 'pending' })
  t.deepEqual(await tools(), before)
})

/** Lets everybody read the list, and only the others call. */
const opensItsList = (server: Awaited<ReturnType<typeof open>>['server']) => {
  const { guard } = server
  server.guard = async (received, response) => received.method === 'tools/call' && guard(received, response)
}

test('a server that lists to everybody and wants a token for calls gets one, at once or later', async (t) => {
  const { server, setGuard, inspect, add, startFlow, of } = await open(t)
  setGuard('pasted')
  opensItsList(server)
  t.like(await inspect(), { authType: 'none', offersSignIn: false, foreignHosts: [] })
  const { id } = (await add()).body
  const { use, refresh, replace, entry, tools, confirm } = of(id)
  await confirm()
  await use()
  t.like(await entry(), { authType: 'none', status: 'needs_reauth', statusReason: 'The site now requires sign-in.' })
  const taken = (await add({ token })).failure
  t.is(taken.code, 'TOKEN_EXISTS')
  t.regex(taken.error, /PATCH .* to add a token, or POST .* to sign in/)
  t.regex((await startFlow({ entryId: id })).failure.error, /does not say how users sign in.* PATCH/)
  t.regex((await startFlow({ url: server.url })).failure.error, /does not say how users sign in.* POST \/vault\./)
  t.like((await replace()).body, { authType: 'bearer', status: 'connected' })
  t.is((await use()).status, 200)
  t.like((await refresh()).body, { class: 'none' })
  t.deepEqual(await tools(), allTools)

  const { add: addAnother, of: ofAnother, server: another, setGuard: setAnother } = await open(t)
  setAnother('pasted')
  opensItsList(another)
  const added = (await addAnother({ token })).body
  t.is(added.authType, 'bearer')
  t.is((await ofAnother(added.id).use()).status, 200)
})

test('a server that lists to everybody and wants OAuth for calls is signed in at, at once or later', async (t) => {
  const { site, server, inspect, add, startFlow, signIn, of } = await open(t)
  opensItsList(server)
  const offered = { authType: 'none', offersSignIn: true, foreignHosts: [site.host], redirectUri: site.redirectUri }
  t.like(await inspect(), { ...offered, needsClientId: false, tools: { length: allTools.length } })
  site.metadata = { code_challenge_methods_supported: [] }
  t.like(await inspect(), { authType: 'none', offersSignIn: false, redirectUri: null }, 'it cannot be used')
  site.metadata = {}
  const { id } = (await add()).body
  const { use, refresh, replace, entry, tools, confirm } = of(id)
  await confirm()
  await use()
  t.like(await entry(), { authType: 'none', status: 'needs_reauth' })
  const { code, details } = (await startFlow({ entryId: id }, [])).failure
  t.deepEqual([code, details?.[0]?.path], ['VALIDATION_ERROR', 'acceptHosts'])
  t.is(await signIn({ entryId: id }), id)
  t.like(await entry(), { authType: 'oauth2', status: 'connected', scopes: site.resource.scopes_supported })
  t.is((await use()).status, 200)
  t.regex((await startFlow({ url: server.url })).failure.error, /POST \/vault\/oauth\/start .* authorize it again/)
  t.like((await refresh()).body, { class: 'none' })
  t.deepEqual(await tools(), allTools)
  t.regex((await replace()).failure.error, /uses OAuth/)
  server.elsewhere = (_request, response) => void response.writeHead(404).end()
  t.like((await refresh()).body, { class: 'none' }, 'the grant is still good')
  site.forget()
  await use()
  const found = (await refresh()).body
  t.is(found.status, 'pending')
  t.true(found.differences.some(({ path, after }) => path === 'auth.type' && after?.includes('none')))

  const { server: another, signIn: signInThere, of: ofAnother } = await open(t)
  opensItsList(another)
  t.is((await ofAnother(await signInThere({ url: another.url })).use()).status, 200)
})

test('a grant is refused for an entry that got a token since its sign-in began', async (t) => {
  const { site, server, someone, add, startFlow, of } = await open(t)
  opensItsList(server)
  const { id } = (await add()).body
  const { location, cookie } = await openConnectUrl(someone, (await startFlow({ entryId: id })).body.connectUrl)
  t.is((await of(id).replace()).body.authType, 'bearer')
  const response = await comeBack(someone, await signInAt(location, { user: 'ada' }), cookie)
  t.is(((await response.json()) as Failure).code, 'VALIDATION_ERROR')
  t.is((await of(id).entry()).authType, 'bearer')
  t.is(site.revocations.length, 1)
})
