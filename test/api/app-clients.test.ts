// @promise apps
import test, { type ExecutionContext } from 'ava'
import * as apps from '../../api/apps.ts'
import { registrationsAnHour } from '../../src/rate-limit.ts'
import { authorizePath, browserOf, newApp, openRequest, redirectUrl, register, signIn } from '../helpers/app-sign-in.ts'
import { call } from '../helpers/client.ts'
import { shiftedClock } from '../helpers/clock.ts'
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
