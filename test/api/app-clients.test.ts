// @promise apps
import test, { type ExecutionContext } from 'ava'
import * as apps from '../../api/apps.ts'
import { registrationsAnHour } from '../../src/rate-limit.ts'
import {
  authorizePath,
  browserOf,
  newApp,
  openRequest,
  post,
  redirectUrl,
  register,
  signIn,
} from '../helpers/app-sign-in.ts'
import { call } from '../helpers/client.ts'
import { shiftedClock } from '../helpers/clock.ts'
import { openDatabaseDoor } from '../helpers/database-door.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { startHttpsSite } from '../helpers/https-server.ts'
import { customer, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { runRound } from '../../src/loops.ts'
import { send } from './raw-http.ts'

const house = forWholeFile(test, 'clients of apps', (t) => startPlatform(t))

const day = 86_400

test('a client registers with redirect URIs that lead to itself, and is public whatever it wants', async (t) => {
  const { url } = await house()
  const refused = [
    ['http://app.example/callback'],
    ['mailto://someone'],
    ['chrome://settings'],
    ['JavaScript://x/%0aalert(1)'],
    ['javascript:alert(1)'],
    ['myapp:/callback'],
    ['data:text/html,hello'],
    ['https://user@app.example/'],
    [`https://app.example/${'x'.repeat(600)}`],
    Array.from({ length: 11 }, (_, count) => `https://app.example/${count}`),
  ]
  for (const uris of refused) {
    const { status, body } = await register(url, { redirect_uris: uris })
    t.like({ status, error: body['error'] }, { status: 400, error: 'invalid_redirect_uri' }, uris[0])
  }
  const uris = [
    'https://app.example/callback',
    'http://localhost:1/x',
    'http://[::1]:2/',
    'com.example.app:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ]
  const { status, body } = await register(url, {
    redirect_uris: uris,
    token_endpoint_auth_method: 'client_secret_post',
  })
  t.is(status, 201)
  t.like(body, { token_endpoint_auth_method: 'none', redirect_uris: uris })
  t.false('client_secret' in body)
})

test('a request needs PKCE with S256 and a known redirect URI, on the loopback with any port', async (t) => {
  const { url } = await house()
  const { body } = await register(url, { redirect_uris: [redirectUrl] })
  const ask = (parameters: Record<string, string>) =>
    send(url, { path: authorizePath(String(body['client_id']), parameters), headers: { accept: 'text/html' } })
  for (const parameters of [{ code_challenge_method: 'plain' }, { code_challenge: '' }])
    t.regex(String((await ask(parameters)).headers['location']), /error=invalid_request/)
  for (const uri of ['https://evil.example/', `${redirectUrl}/more`]) {
    const answer = await ask({ redirect_uri: uri })
    t.is(answer.headers['location'], undefined)
    t.regex(answer.text, /<h1>Something went wrong/)
  }
  t.is((await ask({ scope: '' })).status, 303)
  t.is((await ask({ redirect_uri: redirectUrl.replace('39123', '1234') })).status, 303)
  t.is((await ask({ prompt: 'none' })).headers['location']?.includes('error=consent_required'), true)
})

test('the 21st registration of an address in an hour is refused', async (t) => {
  const { url } = await startPlatform(t)
  for (let count = 0; count < registrationsAnHour; count += 1)
    t.is((await register(url, { redirect_uris: [redirectUrl] })).status, 201)
  const { status, body } = await register(url, { redirect_uris: [redirectUrl] })
  t.like({ status, code: body['code'] }, { status: 429, code: 'RATE_LIMITED' })
})

test('a registered client is kept for a day, or as long as it has an app, and is deleted then', async (t) => {
  const clock = shiftedClock()
  const platform = await startPlatform(t, { clock })
  const { database } = platform.services
  const kept = async () => (await database('app_sign_in_records').where({ kind: 'Client' })).length
  await register(platform.url, { redirect_uris: [redirectUrl] })
  const someone = await customer(platform)
  await signIn(newApp(someone), await browserOf(someone))
  t.is(await kept(), 2)
  clock.forward(day + 1)
  await runRound(platform.services, 'housekeeping')
  t.is(await kept(), 1)
  clock.forward(platform.config.auth.refreshTokenDays * day)
  await runRound(platform.services, 'housekeeping')
  t.is(await kept(), 0)
  t.is((await database('connected_apps')).length, 0)
  t.is((await database('app_sign_in_records')).length, 0)
})

/** A client whose id is the address of its metadata. */
async function published(t: ExecutionContext, more: Record<string, unknown> = {}) {
  const site = await startHttpsSite(t, (_, response) => {
    const metadata = { client_id: id, client_name: 'Published', redirect_uris: [redirectUrl], ...more }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
  })
  const id = `${site.origin}/client.json`
  return { id, site }
}

test('a client with metadata at its own address needs no registration, and its host is shown', async (t) => {
  const someone = await person(await house())
  const { id, site } = await published(t)
  const browser = await browserOf(someone)
  const request = await openRequest(browser, authorizePath(id))
  const { text } = await browser.jar.ask('GET', `${request}/details`)
  t.like(JSON.parse(text), { name: 'Published', clientHost: new URL(id).host, redirectHost: '127.0.0.1:39123' })
  await openRequest(browser, authorizePath(id))
  t.is(site.requests(), 1, 'the document is kept for a while')
  t.deepEqual((await call(someone, apps.listApps)).body.items, [])
})

test('metadata that is large, of another client or at a private address is refused', async (t) => {
  const { url } = await house()
  const careful = await startPlatform(t, { env: { SITE_ALLOW: '', SITE_LOOPBACK: 'false' } })
  const large = await published(t, { client_uri: `https://app.example/${'x'.repeat(6000)}` })
  const foreign = await published(t, { client_id: 'https://app.example/client.json' })
  const hidden = await published(t)
  const confidential = await published(t, { token_endpoint_auth_method: 'client_secret_basic' })
  const cases: [string, string][] = [
    [url, large.id],
    [url, foreign.id],
    [url, confidential.id],
    [careful.url, hidden.id],
  ]
  for (const [at, id] of cases) {
    const answer = await send(at, { path: authorizePath(id), headers: { accept: 'text/html' } })
    t.is(answer.status, 400, id)
    t.regex(answer.text, /<h1>Something went wrong/)
  }
  t.is(hidden.site.requests(), 0)
})

test('the processes of a platform share what the authorization server keeps', async (t) => {
  const first = await startPlatform(t)
  const second = await startPlatform(t, { env: { DATABASE_URL: first.config.database.url, BASE_URL: first.url } })
  const { body } = await register(first.url, { redirect_uris: [redirectUrl] })
  const path = authorizePath(String(body['client_id']))
  t.is((await send(second.url, { path })).status, 303)
})

test('a document that cannot be read for a while costs no tokens: the client learns to try again, and does', async (t) => {
  const first = await startPlatform(t)
  const second = await startPlatform(t, { env: { DATABASE_URL: first.config.database.url, BASE_URL: first.url } })
  let isAway = false
  const site = await startHttpsSite(t, (_, response) => {
    const metadata = { client_id: id, client_name: 'Published', redirect_uris: [redirectUrl] }
    response.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
  })
  const id = `${site.origin}/client.json`
  const someone = await customer(first)
  const app = newApp(someone)
  app.stored.client = { client_id: id }
  await signIn(app, await browserOf(someone))
  const renewal = { grant_type: 'refresh_token', client_id: id, refresh_token: app.tokens().refresh_token }
  isAway = true
  t.like(await post(second.url, '/mcp/token', renewal), { status: 503, body: { error: 'temporarily_unavailable' } })
  isAway = false
  t.is((await post(second.url, '/mcp/token', renewal)).status, 200)
})

test('while the database is away, a browser gets a page and a client an error, both of which say to try again', async (t) => {
  const door = await openDatabaseDoor(t, (await createTestDatabase(t)).url)
  const { url } = await startPlatform(t, { env: { DATABASE_URL: door.url, RATE_LIMIT_STORE: 'memory' } })
  const { body } = await register(url, { redirect_uris: [redirectUrl] })
  await door.stop()
  const path = authorizePath(String(body['client_id']))
  const page = await send(url, { path, headers: { accept: 'text/html' } })
  t.is(page.status, 500)
  t.regex(page.text, /cannot reach its database right now\. Try again/)
  const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' })
  const answer = await fetch(`${url}/mcp/token`, { method: 'POST', body: form })
  t.deepEqual([answer.status, answer.headers.get('retry-after')], [500, '5'])
  t.like(await answer.json(), { error: 'server_error' })
})

test('a page of a listed origin can sign in: each endpoint answers its preflight, and the challenge can be read', async (t) => {
  const origin = 'https://client.example'
  const { url } = await startPlatform(t, { env: { CORS_ORIGINS: origin } })
  const methods = { '/mcp': 'POST', '/mcp/register': 'POST', '/mcp/token': 'POST', '/mcp/revoke': 'POST' }
  for (const [path, method] of Object.entries(methods)) {
    const asked = { origin, 'access-control-request-method': method, 'access-control-request-headers': 'mcp-name' }
    const { status, headers } = await send(url, { method: 'OPTIONS', path, headers: asked })
    t.is(status, 204, path)
    t.is(headers['access-control-allow-origin'], origin, path)
    t.regex(String(headers['access-control-allow-headers']), /mcp-name/, path)
  }
  const metadata = '/.well-known/oauth-authorization-server'
  for (const path of [metadata, '/.well-known/oauth-protected-resource/mcp'])
    t.is((await send(url, { path, headers: { origin } })).headers['access-control-allow-origin'], origin, path)
  const refused = await send(url, { method: 'POST', path: '/mcp', headers: { origin } })
  t.is(refused.status, 401)
  t.regex(String(refused.headers['access-control-expose-headers']), /WWW-Authenticate/)
  const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x', refresh_token: 'y' })
  const answer = await fetch(`${url}/mcp/token`, { method: 'POST', body: form, headers: { origin } })
  t.like(await answer.json(), { error: 'invalid_client' })
  t.is(answer.headers.get('access-control-allow-origin'), origin)
})

test('more expired records than one statement deletes are deleted in one round', async (t) => {
  const { services } = await startPlatform(t)
  await services.database.raw(`
    insert into app_sign_in_records (kind, key_hash, created_at, expires_at, payload)
    select 'Interaction', n::text, now(), now() - interval '1 second', '{}' from generate_series(1, 12000) n`)
  await services.apps.purge()
  t.is((await services.database('app_sign_in_records')).length, 0)
})
