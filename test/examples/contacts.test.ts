import { createHash, randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import * as oauth from 'oauth4webapi'
import type { ContactsSite } from '../../examples/sites/contacts/server.ts'
import { fingerprint } from '../../examples/sites/contacts/token-endpoint.ts'
import { parseManifest } from '../../src/sites/manifest/manifest.ts'
import { eventually } from '../helpers/eventually.ts'
import { createBrowser, signIn } from '../helpers/sign-in.ts'
import { askSite, startContactsSite, type SiteRequest } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const redirectUri = 'http://127.0.0.1:3000/vault/oauth/callback'
const ada = { user: 'ada', password: 'ada-password' }
const bob = { user: 'bob', password: 'bob-password' }
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** The address that starts it all, with some parameters changed; undefined leaves one out. */
function authorizeUrl({ origin }: ContactsSite, changed: Record<string, string | undefined> = {}): string {
  const query = {
    response_type: 'code',
    client_id: 'switchyard',
    redirect_uri: redirectUri,
    scope: 'read write delete admin',
    state: 'some-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changed,
  }
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${origin}/oauth/authorize?${new URLSearchParams(given).toString()}`
}

const ask = ({ origin }: ContactsSite, path: string, form: Record<string, string>) =>
  askSite(`${origin}${path}`, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'switchyard', ...form }).toString(),
  })

const exchange = (site: ContactsSite, code: string, changed: Record<string, string> = {}) =>
  ask(site, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changed,
  })

const refresh = (site: ContactsSite, refreshToken: string) =>
  ask(site, '/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken })

const call = ({ origin }: ContactsSite, tool: string, request: SiteRequest) =>
  askSite(`${origin}/api/tools/crm.${tool}`, { method: 'POST', body: {}, ...request })

interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
  expires_in: number
  token_type: string
}

const tokensOf = (answer: { json: () => unknown }) => answer.json() as Tokens

const codeFrom = (address: string): string => new URL(address).searchParams.get('code') ?? ''

/** The whole way: sign in, allow, exchange the code. */
async function connect(site: ContactsSite, { user = ada, scope = 'read write delete admin' } = {}): Promise<Tokens> {
  const answer = await exchange(site, codeFrom(await signIn(authorizeUrl(site, { scope }), user)))
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return tokensOf(answer)
}

/** A site of the test's own: to be counted at, held up, closed, or otherwise than usual. */
const startSite = async (t: ExecutionContext, options: Parameters<typeof startContactsSite>[1] = {}) =>
  (await startContactsSite(t, options)).site

/** One for all tests that only connect and call. */
const theSite = forWholeFile(test, 'contacts', (t) => startSite(t))

test('the platform accepts the manifest, which says where to authorize and what each tool needs', async (t) => {
  const site = await theSite()
  const answer = await askSite(`${site.origin}/.well-known/toolsite.json`)
  const manifest = parseManifest(Buffer.from(answer.text))
  t.like(manifest.auth, {
    type: 'oauth2',
    authorization_url: `${site.origin}/oauth/authorize`,
    token_url: `${site.origin}/oauth/token`,
    revocation_url: `${site.origin}/oauth/revoke`,
    issuer: site.origin,
    scopes: ['read', 'write', 'delete', 'admin'],
  })
  t.deepEqual(Object.fromEntries(manifest.tools.map(({ name, scope, effect }) => [name, [scope, effect]])), {
    'crm.searchContacts': ['read', 'read'],
    'crm.getContact': ['read', 'read'],
    'crm.createContact': ['write', 'idempotent'],
    'crm.deleteContact': ['delete', 'once'],
    'crm.listUsers': ['admin', 'read'],
  })
})

test('a strict OAuth client gets from discovery through PKCE, state and issuer to tokens, and refreshes them', async (t) => {
  const site = await theSite()
  const throughTestAuthority = async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<string, unknown>,
  ) => {
    const sent = body instanceof URLSearchParams ? body.toString() : undefined
    const answer = await askSite(url, { method, headers, ...(sent !== undefined && { body: sent }) })
    return new Response(answer.text, { status: answer.status, headers: { 'Content-Type': 'application/json' } })
  }
  const options = { [oauth.customFetch]: throughTestAuthority }
  const issuer = new URL(site.origin)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  t.deepEqual(server.code_challenge_methods_supported, ['S256'])
  t.true(server.authorization_response_iss_parameter_supported)
  const client = { client_id: 'switchyard' }
  const back = new URL(await signIn(authorizeUrl(site, { scope: 'read write' }), ada))
  t.is(back.origin + back.pathname, redirectUri)
  const parameters = oauth.validateAuthResponse(server, client, back, 'some-state')
  const none = oauth.None()
  const first = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirectUri, verifier, options),
  )
  t.like(first, { token_type: 'bearer', expires_in: 3600, scope: 'read write', id_token: undefined })
  const refreshToken = first.refresh_token ?? ''
  const second = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, refreshToken, options),
  )
  t.is(second.scope, 'read write')
  t.not(second.access_token, first.access_token)
  t.is((await call(site, 'searchContacts', { token: second.access_token })).status, 200)
})

test('every redirect address that is registered works, https and loopback alike, and is compared letter by letter', async (t) => {
  const redirectUris = [redirectUri, 'https://platform.example/vault/oauth/callback', 'https://127.0.0.1:8443/callback']
  const site = await startSite(t, { redirectUris })
  for (const uri of redirectUris) {
    const back = await signIn(authorizeUrl(site, { redirect_uri: uri }), ada)
    t.true(back.startsWith(`${uri}?`))
    t.is((await exchange(site, codeFrom(back), { redirect_uri: uri })).status, 200)
  }
  for (const uri of [
    `${redirectUri}/`,
    `${redirectUri}?more`,
    redirectUri.replace(':3000', ':3001'),
    redirectUri.replace('127.0.0.1', 'localhost'),
    'https://platform.example.evil.example/vault/oauth/callback',
    'https://platform.example/vault/oauth/callback/../other',
  ]) {
    const refused = await askSite(authorizeUrl(site, { redirect_uri: uri }))
    t.is(refused.status, 400, uri)
    t.is(refused.headers.location, undefined)
    t.regex(refused.text, /invalid_redirect_uri/)
  }
})

test('a wrong password or user is said on the login page, and what was typed is escaped', async (t) => {
  const site = await theSite()
  for (const wrong of [
    { ...ada, password: 'guess' },
    { ...ada, user: 'eve' },
    { user: '', password: '' },
  ]) {
    await t.throwsAsync(signIn(authorizeUrl(site), wrong), { message: /400: The user or the password is wrong/ })
  }
  const browser = createBrowser()
  const { location = '' } = (await browser.open(authorizeUrl(site))).headers
  const page = new URL(location, site.origin).href
  const { text } = await browser.send(page, { user: '"><script>alert(1)</script>', password: 'x' })
  t.true(text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
  t.false(text.includes('<script'))
})

test('the screens belong to the browser that came for them, and cannot be framed or scripted', async (t) => {
  const site = await theSite()
  const browser = createBrowser()
  const { location = '' } = (await browser.open(authorizeUrl(site))).headers
  const page = new URL(location, site.origin).href
  const shown = await browser.open(page)
  t.is(shown.status, 200)
  const policy = String(shown.headers['content-security-policy'])
  t.is(policy, "default-src 'none'; frame-ancestors 'none'; form-action 'self' http://127.0.0.1:3000")
  for (const answer of [await askSite(page), await createBrowser().send(page, ada)]) {
    t.is(answer.status, 400)
    t.regex(answer.text, /has expired, or belongs to another browser/)
  }
  const another = createBrowser()
  await another.open(authorizeUrl(site))
  t.is((await another.open(page)).status, 400)
})

test('the consent screen says in plain words who asks for what, each time anew', async (t) => {
  const site = await theSite()
  const browser = createBrowser()
  const follow = async (url: string): Promise<{ url: string; text: string }> => {
    const answer = await browser.open(url)
    const { location } = answer.headers
    return location === undefined ? { url, text: answer.text } : follow(new URL(location, url).href)
  }
  const login = await follow(authorizeUrl(site, { scope: 'read' }))
  const sent = await browser.send(login.url, bob)
  const first = await follow(new URL(sent.headers.location ?? '', login.url).href)
  t.regex(first.text, /Allow Switchyard to use your contacts\?/)
  t.regex(first.text, /signed in as <strong>bob<\/strong>/)
  t.regex(first.text, /<li>see your contacts<\/li>/)
  t.notRegex(first.text, /add contacts/)
  t.regex(first.text, /<button name="decision" value="allow">Allow<\/button>/)
  t.regex(first.text, /<button name="decision" value="deny">Deny<\/button>/)
  // Still signed in, but asked again, and now for more.
  const second = await follow(authorizeUrl(site, { scope: 'read write' }))
  t.regex(second.text, /<li>see your contacts<\/li>\s*<li>add contacts<\/li>/)
})

test('a user who denies sends the platform away with access_denied and its state', async (t) => {
  const site = await theSite()
  const back = new URL(await signIn(authorizeUrl(site), { ...ada, decide: 'deny' }))
  t.is(back.origin + back.pathname, redirectUri)
  t.like(Object.fromEntries(back.searchParams), { error: 'access_denied', state: 'some-state', iss: site.origin })
  t.false(back.searchParams.has('code'))
})

test('nobody can give more than they have', async (t) => {
  const site = await theSite()
  const tokens = await connect(site, { user: bob, scope: 'read write delete admin' })
  t.is(tokens.scope, 'read write')
  const { access_token: token } = tokens
  t.is((await call(site, 'searchContacts', { token })).status, 200)
  t.is((await call(site, 'listUsers', { token })).status, 403)
  t.is(tokensOf(await refresh(site, tokens.refresh_token)).scope, 'read write')
  // What the site does not know is not given either, and stands in nobody's way.
  t.is((await connect(site, { scope: 'openid read offline_access other' })).scope, 'read')
  const nothing = new URL(await signIn(authorizeUrl(site, { scope: 'admin' }), bob))
  t.is(nothing.searchParams.get('error'), 'access_denied')
})

test('without PKCE, or with a method other than S256, there is no code', async (t) => {
  const site = await theSite()
  for (const changed of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: undefined },
    { code_challenge: verifier, code_challenge_method: 'plain' },
    { code_challenge: undefined },
  ]) {
    const back = new URL(await signIn(authorizeUrl(site, changed), ada))
    t.is(back.searchParams.get('error'), 'invalid_request', JSON.stringify(changed))
    t.false(back.searchParams.has('code'))
  }
})

test('other clients and other response types are refused', async (t) => {
  const site = await theSite()
  const stranger = await askSite(authorizeUrl(site, { client_id: 'stranger' }))
  t.is(stranger.status, 400)
  t.regex(stranger.text, /invalid_client/)
  const implicit = new URL(await signIn(authorizeUrl(site, { response_type: 'token' }), ada))
  t.is(
    implicit.searchParams.get('error') ?? new URLSearchParams(implicit.hash.slice(1)).get('error'),
    'unsupported_response_type',
  )
})

test('a code is good once, with its verifier and its redirect address only; used twice it ends the grant', async (t) => {
  const site = await theSite()
  const newCode = async () => codeFrom(await signIn(authorizeUrl(site), ada))
  const other = randomBytes(32).toString('base64url')
  for (const changed of [{ code_verifier: other }, { redirect_uri: `${redirectUri}/other` }]) {
    const answer = await exchange(site, await newCode(), changed)
    t.is(answer.status, 400)
    t.is(answer.json()['error'], 'invalid_grant')
  }
  const code = await newCode()
  const tokens = tokensOf(await exchange(site, code))
  t.is((await exchange(site, code)).json()['error'], 'invalid_grant')
  t.is((await call(site, 'searchContacts', { token: tokens.access_token })).status, 401)
  t.is((await refresh(site, tokens.refresh_token)).status, 400)
})

test('a refresh token is replaced with every use, two hundred times in a row', async (t) => {
  const site = await theSite()
  let tokens = await connect(site)
  const seen = new Set([tokens.refresh_token])
  for (let turn = 0; turn < 200; turn += 1) {
    const answer = await refresh(site, tokens.refresh_token)
    t.is(answer.status, 200)
    tokens = tokensOf(answer)
    seen.add(tokens.refresh_token)
  }
  t.is(seen.size, 201)
  t.is((await call(site, 'searchContacts', { token: tokens.access_token })).status, 200)
})

test('a refresh token that comes twice ends the whole grant, and no other', async (t) => {
  const site = await startSite(t)
  const first = await connect(site)
  const untouched = await connect(site)
  const second = tokensOf(await refresh(site, first.refresh_token))
  t.is((await call(site, 'searchContacts', { token: second.access_token })).status, 200)
  const reused = await refresh(site, first.refresh_token)
  t.is(reused.status, 400)
  t.is(reused.json()['error'], 'invalid_grant')
  t.is((await refresh(site, second.refresh_token)).status, 400)
  t.is((await call(site, 'searchContacts', { token: second.access_token })).status, 401)
  t.is((await call(site, 'searchContacts', { token: untouched.access_token })).status, 200)
  const refreshes = site.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')
  t.deepEqual(
    refreshes.map(({ status, error, refreshToken, consumedBefore }) => [status, error, refreshToken, consumedBefore]),
    [
      [200, null, fingerprint(first.refresh_token), false],
      [400, 'invalid_grant', fingerprint(first.refresh_token), true],
      [400, 'invalid_grant', fingerprint(second.refresh_token), false],
    ],
  )
  t.false(JSON.stringify(refreshes).includes(first.refresh_token))
})

test('of many refreshes with one token at the same instant exactly one succeeds', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  const all = Promise.withResolvers<void>()
  let arrived = 0
  site.intercept(async (_facts, _response, proceed) => {
    arrived += 1
    if (arrived === 20) all.resolve()
    await all.promise
    await proceed()
  })
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(site, token)))
  t.is(answers.filter(({ status }) => status === 200).length, 1)
  t.is(site.tokenRequests().filter(({ consumedBefore }) => consumedBefore).length, 19)
})

test('a tool answers 401 without a good token, 403 without the scope, 400 for wrong input, 404 where it does not exist', async (t) => {
  const site = await theSite()
  const { access_token: token } = await connect(site, { scope: 'read' })
  const missing = await call(site, 'searchContacts', {})
  t.is(missing.status, 401)
  t.is(missing.headers['www-authenticate'], 'Bearer')
  const unknown = await call(site, 'searchContacts', { token: 'guessed' })
  t.is(unknown.status, 401)
  t.is(unknown.headers['www-authenticate'], 'Bearer error="invalid_token"')
  const narrow = await call(site, 'deleteContact', { token, body: { id: 1 } })
  t.is(narrow.status, 403)
  t.is(narrow.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="delete"')
  t.is((await call(site, 'getContact', { token, body: { id: 1 } })).status, 200)
  const answers = [missing, unknown, narrow, await call(site, 'dropTable', { token })]
  t.is(answers.at(-1)?.status, 404)
  for (const body of [{ id: 'one' }, {}, { id: 1, more: 1 }, [], '{"id":']) {
    const wrong = await call(site, 'getContact', { token, body })
    t.is(wrong.status, 400, JSON.stringify(body))
    answers.push(wrong)
  }
  for (const answer of answers) t.is(typeof answer.json()['error'], 'string')
})

test('a refresh token is no access token', async (t) => {
  const site = await theSite()
  const { refresh_token: token } = await connect(site)
  t.is((await call(site, 'searchContacts', { token })).status, 401)
})

test('a contact can be found, added, read and deleted, and the log says who did it', async (t) => {
  const site = await startSite(t)
  const { access_token: token } = await connect(site)
  const found = (await call(site, 'searchContacts', { token, body: { company: 'Northwind Tea', text: 'MIRA' } })).json()
  t.deepEqual(found, {
    contacts: [{ id: 1, name: 'Mira Stone', company: 'Northwind Tea', email: 'mira@northwind.example' }],
  })
  const made = (await call(site, 'createContact', { token, body: { name: 'New Person' } })).json()
  t.deepEqual(made, { id: 4, name: 'New Person', company: '', email: '', notes: '', addedBy: 'ada' })
  t.deepEqual((await call(site, 'getContact', { token, body: { id: 4 } })).json(), made)
  t.deepEqual((await call(site, 'deleteContact', { token, body: { id: 4 } })).json(), { deleted: true, id: 4 })
  t.is((await call(site, 'getContact', { token, body: { id: 4 } })).status, 404)
  t.like((await call(site, 'listUsers', { token })).json(), {
    users: { 0: { name: 'ada', role: 'admin' }, 1: { name: 'bob', role: 'editor' } },
  })
  const log = (await askSite(`${site.origin}/log`)).json()['requests'] as { tool: string; status: number }[]
  t.deepEqual(log, site.requests() as never)
  t.like(log[1], { tool: 'crm.createContact', status: 200, user: 'ada' })
  t.false(JSON.stringify(log).includes(token))
})

test('a contact is added once under one Idempotency-Key', async (t) => {
  const site = await startSite(t)
  const { access_token: token } = await connect(site)
  const headers = { 'Idempotency-Key': 'key-1' }
  const add = (name: string) => call(site, 'createContact', { token, headers, body: { name } })
  const [first, second] = [await add('Only One'), await add('Only One')]
  t.deepEqual(second.json(), first.json())
  t.is((await add('Another')).status, 422)
  const found = (await call(site, 'searchContacts', { token })).json() as { contacts: unknown[] }
  t.is(found.contacts.length, 4)
})

test('a revoked refresh token takes its access tokens along, and no other grant', async (t) => {
  const site = await theSite()
  const [tokens, untouched] = [await connect(site), await connect(site)]
  t.is((await ask(site, '/oauth/revoke', { token: tokens.refresh_token })).status, 200)
  t.is((await call(site, 'searchContacts', { token: tokens.access_token })).status, 401)
  t.is((await refresh(site, tokens.refresh_token)).json()['error'], 'invalid_grant')
  t.is((await refresh(site, untouched.refresh_token)).status, 200)
  t.is((await ask(site, '/oauth/revoke', { token: 'unknown' })).status, 200)
})

test('access tokens expire when they say, or all at once, and refresh tokens outlive them', async (t) => {
  const site = await startSite(t, { accessTokenSeconds: 1 })
  const short = await connect(site)
  t.is(short.expires_in, 1)
  await eventually(5, 'the access token expires', async () => {
    const { status } = await call(site, 'searchContacts', { token: short.access_token })
    return status === 401 || undefined
  })
  site.accessTokenSeconds = 600
  const long = tokensOf(await refresh(site, short.refresh_token))
  t.is(long.expires_in, 600)
  t.is((await call(site, 'searchContacts', { token: long.access_token })).status, 200)
  site.expireAccessTokens()
  t.is((await call(site, 'searchContacts', { token: long.access_token })).status, 401)
  t.is((await refresh(site, long.refresh_token)).status, 200)
})

test('without their grants no tokens are good, and users can connect again', async (t) => {
  const site = await startSite(t)
  const tokens = await connect(site)
  site.revokeGrants()
  t.is((await call(site, 'searchContacts', { token: tokens.access_token })).status, 401)
  t.is((await refresh(site, tokens.refresh_token)).json()['error'], 'invalid_grant')
  const again = await connect(site)
  t.is((await call(site, 'searchContacts', { token: again.access_token })).status, 200)
})

test('a hook can hold a token request before anything has happened', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const facts: unknown[] = []
  site.intercept(async (fact, _response, proceed) => {
    facts.push(fact)
    held.resolve()
    await release.promise
    await proceed()
  })
  const waiting = refresh(site, token)
  await held.promise
  t.like(site.tokenRequests().at(-1), { status: null, error: null, consumedBefore: false })
  site.intercept(undefined)
  // The one that is held has not used the token up: another request still can, and the grant ends with the first.
  t.is((await refresh(site, token)).status, 200)
  release.resolve()
  t.is((await waiting).status, 400)
  t.deepEqual(facts, [{ grantType: 'refresh_token' }])
})

test('a hook can have the token used up and cut the connection before the answer', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  site.intercept(async (_facts, response, proceed) => {
    await proceed()
    response.socket?.destroy()
  })
  await t.throwsAsync(refresh(site, token))
  t.like(site.tokenRequests().at(-1), { status: null, error: null, consumedBefore: false })
  site.intercept(undefined)
  t.is((await refresh(site, token)).json()['error'], 'invalid_grant')
  t.like(site.tokenRequests().at(-1), { status: 400, error: 'invalid_grant', consumedBefore: true })
})

test('a hook can cut the connection of a token that stays good', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  site.intercept(async (_facts, response) => void response.socket?.destroy())
  await t.throwsAsync(refresh(site, token))
  site.intercept(undefined)
  t.is((await refresh(site, token)).status, 200)
})

test('a hook can answer otherwise, whether the token was used up or not', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  site.intercept(async (_facts, response) => void response.writeHead(503, { 'Retry-After': '7' }).end('later'))
  const instead = await refresh(site, token)
  t.is(instead.status, 503)
  t.is(instead.headers['retry-after'], '7')
  t.is(instead.text, 'later')
  site.intercept(async (_facts, response, proceed) => {
    await proceed()
    response.writeHead(500, { 'Content-Type': 'text/html' }).end('<p>Oops')
  })
  const after = await refresh(site, token)
  t.is(after.status, 500)
  t.is(after.text, '<p>Oops')
  site.intercept(undefined)
  t.is((await refresh(site, token)).status, 400)
  t.deepEqual(
    site.tokenRequests().map(({ status, error, consumedBefore }) => [status, error, consumedBefore]),
    [
      [200, null, false],
      [503, null, false],
      [500, null, false],
      [400, 'invalid_grant', true],
    ],
  )
})

test('a hook can leave an answer unfinished', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  const begun = Promise.withResolvers<void>()
  site.intercept(async (_facts, response, proceed) => {
    await proceed()
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"access_token":')
    begun.resolve()
  })
  let ended = false
  const waiting = refresh(site, token).finally(() => (ended = true))
  await begun.promise
  // A whole other request goes through in the meantime, and this one is still open.
  site.intercept(undefined)
  await connect(site)
  t.false(ended)
  await site.close()
  await t.throwsAsync(waiting)
})

test('good token answers can be altered, refusals are not', async (t) => {
  const site = await startSite(t)
  const { refresh_token: token } = await connect(site)
  site.transformToken = ({ refresh_token: _left, ...body }) => ({ ...body, token_type: 'mac', expires_in: '3600' })
  const altered = (await refresh(site, token)).json()
  t.like(altered, { token_type: 'mac', expires_in: '3600' })
  t.false('refresh_token' in altered)
  t.is((await refresh(site, token)).json()['error'], 'invalid_grant')
  site.transformToken = undefined
  t.is((await connect(site)).token_type, 'Bearer')
})

test('what has nothing to do with OAuth tokens is refused in the words of OAuth', async (t) => {
  const site = await theSite()
  const { origin } = site
  const asJson = await askSite(`${origin}/oauth/token`, { body: { grant_type: 'refresh_token', refresh_token: 'x' } })
  t.is(asJson.status, 400)
  t.is(asJson.json()['error'], 'invalid_request')
  t.is(
    (await ask(site, '/oauth/token', { grant_type: 'password', username: 'ada' })).json()['error'],
    'unsupported_grant_type',
  )
  const large = await ask(site, '/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x'.repeat(200_000) })
  t.is(large.json()['error'], 'invalid_request')
  t.is((await askSite(`${origin}/nowhere`)).status, 404)
})
