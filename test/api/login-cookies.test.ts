// @promise cookies
import test from 'ava'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { logInByCookie, openJar } from '../helpers/cookie-jar.ts'
import { person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const secureUrl = 'https://switchyard.example'

const open = forWholeFile(test, 'login cookies', async (t) => {
  const platform = await startPlatform(t, { env: { STREAM_CHECK_SECONDS: '1', CORS_ORIGINS: '*' } })
  return { platform, ada: await person(platform), bob: await person(platform) }
})

/** Somebody's browser with a login in it. */
async function signedIn(someone: Person) {
  const jar = openJar(someone.url)
  return { jar, ...(await logInByCookie(jar, someone)) }
}

test('a login that asks for cookies has its tokens in cookies that no script reads, and nowhere else', async (t) => {
  const { ada } = await open()
  const { answer, jar } = await signedIn(ada)
  t.deepEqual(Object.keys(JSON.parse(answer.text) as object), ['expiresIn', 'csrfToken'])
  const [access = '', refresh = '', ...more] = answer.headers['set-cookie'] ?? []
  t.deepEqual(more, [])
  t.regex(access, /^switchyard_access=eyJ[\w.-]+; path=\/; expires=[^;]+; samesite=strict; httponly$/i)
  t.regex(
    refresh,
    /^switchyard_refresh=sy_refresh_[\w-]+; path=\/auth\/refresh; expires=[^;]+; samesite=strict; httponly$/i,
  )
  for (const { value } of jar.kept.values()) t.false(answer.text.includes(value))
  t.is((await jar.ask('GET', '/auth/me')).status, 200)
  const usual = await call(ada, auth.login, { body: { email: ada.email, password: ada.password } })
  t.is(usual.headers.get('set-cookie'), null)
})

test('over https the cookies have the prefixes that browsers enforce', async (t) => {
  const platform = await startPlatform(t, { env: { BASE_URL: secureUrl } })
  const jar = openJar(platform.url, secureUrl)
  const { answer } = await logInByCookie(jar, await person(platform))
  const [access = '', refresh = ''] = answer.headers['set-cookie'] ?? []
  t.regex(access, /^__Host-switchyard_access=eyJ[^;]+; path=\/; [^;]+; samesite=strict; secure; httponly$/i)
  t.regex(
    refresh,
    /^__Secure-switchyard_refresh=[^;]+; path=\/auth\/refresh; [^;]+; samesite=strict; secure; httponly$/i,
  )
  t.is((await jar.ask('GET', '/auth/me')).status, 200)
  const bare = { cookie: access.replace('__Host-', '') }
  t.is((await jar.ask('GET', '/auth/me', { headers: bare })).code, 'UNAUTHORIZED')
})

test('by cookie a request that may change something needs the CSRF token of the same login', async (t) => {
  const { ada, bob } = await open()
  const [{ jar, csrf }, others, second] = [await signedIn(ada), await signedIn(bob), await signedIn(ada)]
  const ask = (headers: Record<string, string>) => jar.ask('POST', '/auth/accept-terms', { headers })
  const wrong: Record<string, string>[] = [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': `${csrf['x-csrf-token']}x` },
    { 'x-csrf-token': csrf['x-csrf-token'].slice(0, -1) },
    { 'x-csrf-token': jar.kept.get('switchyard_access')?.value ?? '' },
    others.csrf,
    second.csrf,
    { cookie: `switchyard_access=${jar.kept.get('switchyard_access')?.value}; x-csrf-token=${csrf['x-csrf-token']}` },
  ]
  for (const headers of wrong) t.is((await ask(headers)).code, 'PERMISSION_DENIED', JSON.stringify(headers))
  t.is((await ask(csrf)).status, 200)
  const again = await jar.ask('GET', '/auth/csrf')
  t.deepEqual(JSON.parse(again.text), { csrfToken: csrf['x-csrf-token'] })
})

test('by cookie no page but those of the platform changes anything, whatever it knows', async (t) => {
  const { ada, platform } = await open()
  const { jar, csrf } = await signedIn(ada)
  const ask = (headers: Record<string, string | undefined>) =>
    jar.ask('POST', '/auth/accept-terms', { headers: { ...csrf, ...headers } })
  for (const origin of ['https://elsewhere.example', 'null', `${platform.url}.elsewhere.example`, `${platform.url}0`])
    t.is((await ask({ origin })).code, 'PERMISSION_DENIED', origin)
  for (const site of ['cross-site', 'same-site', 'none', 'Same-Origin'])
    t.is((await ask({ 'sec-fetch-site': site })).code, 'PERMISSION_DENIED', site)
  t.is((await ask({ 'sec-fetch-site': 'same-origin' })).status, 200)
  t.is((await ask({ origin: undefined })).status, 200)
})

test('no page of another origin logs a visitor in by cookie, or may read what a cookie shows', async (t) => {
  const { ada, platform } = await open()
  const jar = openJar(platform.url)
  const body = { email: ada.email, password: ada.password, cookie: true }
  const origin = 'https://elsewhere.example'
  const refused = await jar.ask('POST', '/auth/login', { body, headers: { origin } })
  t.deepEqual([refused.code, refused.headers['set-cookie']], ['PERMISSION_DENIED', undefined])
  const form = { 'content-type': 'text/plain', origin: undefined }
  t.is((await jar.ask('POST', '/auth/login', { body, headers: form })).code, 'VALIDATION_ERROR')
  const { jar: hers } = await signedIn(ada)
  const read = await hers.ask('GET', '/auth/csrf', { headers: { origin } })
  t.deepEqual(
    [read.headers['access-control-allow-origin'], read.headers['access-control-allow-credentials']],
    ['*', undefined],
  )
  const asks = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-csrf-token' }
  const preflight = await hers.ask('OPTIONS', '/agents', { headers: asks })
  t.notRegex(String(preflight.headers['access-control-allow-headers']), /csrf/i)
})

test('a request with a token and a cookie counts by its token alone', async (t) => {
  const { ada, bob } = await open()
  const { jar, csrf } = await signedIn(ada)
  const me = (authorization: string) => jar.ask('GET', '/auth/me', { headers: { authorization } })
  t.regex((await me(`Bearer ${bob.token}`)).text, new RegExp(bob.email))
  t.is((await me('Bearer not.a.token')).code, 'INVALID_TOKEN')
  t.is((await me('')).code, 'UNAUTHORIZED')
  const headers = { authorization: `Bearer ${bob.token}`, origin: 'https://elsewhere.example' }
  t.is((await jar.ask('POST', '/auth/accept-terms', { headers })).status, 200)
  const stale = { ...csrf, authorization: 'Bearer not.a.token' }
  t.is((await jar.ask('POST', '/auth/accept-terms', { headers: stale })).code, 'INVALID_TOKEN')
})

test('only an access token of a login counts in the cookie', async (t) => {
  const { ada } = await open()
  const { body: key } = await call(ada, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })
  const { jar } = await signedIn(ada)
  const refresh = jar.kept.get('switchyard_refresh')?.value
  const codeOf = async (value = '') =>
    (await jar.ask('GET', '/auth/me', { headers: { cookie: `switchyard_access=${value}` } })).code
  t.is(await codeOf(key.key), 'UNAUTHORIZED')
  t.is(await codeOf(refresh), 'UNAUTHORIZED')
  t.is(await codeOf(''), 'UNAUTHORIZED')
  t.is(await codeOf('a.b.c'), 'INVALID_TOKEN')
  t.is(await codeOf(ada.token), undefined)
})

test('a page refreshes its cookies without a CSRF token, but only as a page of the platform', async (t) => {
  const { ada } = await open()
  const { jar, csrf } = await signedIn(ada)
  const before = new Map(jar.kept)
  const refresh = (headers: Record<string, string | undefined> = {}, body: object = { cookie: true }) =>
    jar.ask('POST', '/auth/refresh', { body, headers })
  for (const headers of [{ origin: undefined }, { origin: 'null' }, { 'sec-fetch-site': 'same-site' }])
    t.is((await refresh(headers)).code, 'PERMISSION_DENIED', JSON.stringify(headers))
  t.is((await refresh({}, { cookie: true, refreshToken: 'sy_refresh_x' })).code, 'VALIDATION_ERROR')
  t.is((await refresh({}, {})).code, 'VALIDATION_ERROR')
  t.is((await refresh({ cookie: undefined })).code, 'UNAUTHORIZED')
  const answer = await refresh()
  t.is(answer.status, 201)
  t.like(JSON.parse(answer.text), { csrfToken: csrf['x-csrf-token'] })
  for (const [name, { value }] of jar.kept) t.not(value, before.get(name)?.value, name)
  t.is((await jar.ask('POST', '/auth/accept-terms', { headers: csrf })).status, 200)
  const replayed = { cookie: `switchyard_refresh=${before.get('switchyard_refresh')?.value}` }
  t.is((await refresh(replayed)).code, 'TOKEN_REVOKED')
  t.is((await jar.ask('GET', '/auth/me')).code, 'TOKEN_REVOKED')
})

test('logging out by cookie ends the login and deletes both cookies', async (t) => {
  const ada = await person((await open()).platform)
  for (const path of ['/auth/logout', '/auth/logout-everywhere']) {
    const { jar, csrf } = await signedIn(ada)
    const before = new Map(jar.kept)
    t.is((await jar.ask('POST', path)).code, 'PERMISSION_DENIED')
    t.is((await jar.ask('POST', path, { headers: csrf })).status, 204)
    t.is(jar.kept.size, 0)
    const old = { cookie: `switchyard_access=${before.get('switchyard_access')?.value}` }
    t.is((await jar.ask('GET', '/auth/me', { headers: old })).code, 'TOKEN_REVOKED')
    const oldRefresh = { cookie: `switchyard_refresh=${before.get('switchyard_refresh')?.value}` }
    t.is(
      (await jar.ask('POST', '/auth/refresh', { body: { cookie: true }, headers: oldRefresh })).code,
      'TOKEN_REVOKED',
    )
  }
})
