import { createHash, randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import * as oauth from 'oauth4webapi'
import type { ContactsSite } from '../../examples/sites/contacts/server.ts'
import { fingerprint } from '../../examples/sites/contacts/token-endpoint.ts'
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
    if (arrived === 8) all.resolve()
    await all.promise
    await proceed()
  })
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(site, token)))
  t.is(answers.filter(({ status }) => status === 200).length, 1)
  t.is(site.tokenRequests().filter(({ consumedBefore }) => consumedBefore).length, 7)
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
