import { createHash, randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
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

/** The address that starts it all. */
function authorizeUrl({ origin }: ContactsSite, scope = 'read write delete admin'): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'switchyard',
    redirect_uri: redirectUri,
    scope,
    state: 'some-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return `${origin}/oauth/authorize?${query.toString()}`
}

const ask = ({ origin }: ContactsSite, path: string, form: Record<string, string>) =>
  askSite(`${origin}${path}`, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'switchyard', ...form }).toString(),
  })

const refresh = (site: ContactsSite, refreshToken: string) =>
  ask(site, '/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken })

const call = ({ origin }: ContactsSite, tool: string, request: SiteRequest) =>
  askSite(`${origin}/api/tools/crm.${tool}`, { method: 'POST', body: {}, ...request })

interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
}

const tokensOf = (answer: { json: () => unknown }) => answer.json() as Tokens

/** The whole way: sign in, allow, exchange the code. */
async function connect(site: ContactsSite, { user = ada, scope = 'read write delete admin' } = {}): Promise<Tokens> {
  const code = new URL(await signIn(authorizeUrl(site, scope), user)).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const answer = await ask(site, '/oauth/token', form)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return tokensOf(answer)
}

/** A site of the test's own: to be counted at, or held up. */
const startSite = async (t: ExecutionContext) => (await startContactsSite(t)).site

/** One for all tests that only connect and call. */
const theSite = forWholeFile(test, 'contacts', (t) => startSite(t))

/** A new browser before the login page, and its address. */
async function openLogin(site: ContactsSite) {
  const browser = createBrowser()
  const { location = '' } = (await browser.open(authorizeUrl(site))).headers
  return { browser, page: new URL(location, site.origin).href }
}

test('a wrong password or user is said on the login page, and what was typed is escaped', async (t) => {
  const site = await theSite()
  const message = /400: The user or the password is wrong/
  for (const wrong of [
    { ...ada, password: 'guess' },
    { ...ada, user: 'eve' },
  ])
    await t.throwsAsync(signIn(authorizeUrl(site), wrong), { message })
  const { browser, page } = await openLogin(site)
  const { text } = await browser.send(page, { user: '"><script>alert(1)</script>', password: 'x' })
  t.true(text.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
  t.false(text.includes('<script'))
})

test('the screens belong to the browser that came for them, and cannot be framed or scripted', async (t) => {
  const site = await theSite()
  const { browser, page } = await openLogin(site)
  const shown = await browser.open(page)
  t.is(shown.status, 200)
  const policy = String(shown.headers['content-security-policy'])
  t.is(policy, "default-src 'none'; frame-ancestors 'none'; form-action 'self' http://127.0.0.1:3000")
  for (const answer of [await askSite(page), await createBrowser().send(page, ada)]) {
    t.is(answer.status, 400)
    t.regex(answer.text, /has expired, or belongs to another browser/)
  }
  t.is((await (await openLogin(site)).browser.open(page)).status, 400)
})

test('the consent screen says in plain words who asks for what, each time anew', async (t) => {
  const site = await theSite()
  const browser = createBrowser()
  const follow = async (url: string): Promise<{ url: string; text: string }> => {
    const answer = await browser.open(url)
    const { location } = answer.headers
    return location === undefined ? { url, text: answer.text } : follow(new URL(location, url).href)
  }
  const login = await follow(authorizeUrl(site, 'read'))
  const sent = await browser.send(login.url, bob)
  const first = await follow(new URL(sent.headers.location ?? '', login.url).href)
  t.regex(first.text, /Allow Switchyard to use your contacts\?/)
  t.regex(first.text, /signed in as <strong>bob<\/strong>/)
  t.regex(first.text, /<li>see your contacts<\/li>/)
  t.notRegex(first.text, /add contacts/)
  // Still signed in, but asked again, and now for more.
  const second = await follow(authorizeUrl(site, 'read write'))
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
  const nothing = new URL(await signIn(authorizeUrl(site, 'admin'), bob))
  t.is(nothing.searchParams.get('error'), 'access_denied')
})

test('of many refreshes with one token at the same instant exactly one succeeds, and the log tells them apart', async (t) => {
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
  const logged = site.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')
  const reused = { status: 400, error: 'invalid_grant', refreshToken: fingerprint(token), consumedBefore: true }
  t.is(logged.filter(({ consumedBefore }) => consumedBefore).length, 7)
  t.like(
    logged.find(({ consumedBefore }) => consumedBefore),
    reused,
  )
  t.false(JSON.stringify(logged).includes(token))
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
