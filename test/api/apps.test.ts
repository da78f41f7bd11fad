// @promise apps
import test from 'ava'
import * as apps from '../../api/apps.ts'
import * as audit from '../../api/audit.ts'
import * as auth from '../../api/auth.ts'
import * as members from '../../api/members.ts'
import { reachOfProvider } from '../../src/owners/reach.ts'
import {
  allow,
  browserOf,
  connectedApp,
  goBack,
  newApp,
  openRequest,
  post,
  redirectUrl,
  signIn,
} from '../helpers/app-sign-in.ts'
import { call, type Client } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { newOwner } from '../helpers/owner.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

const house = forWholeFile(test, 'apps', (t) => startPlatform(t))

/** How the MCP server answers a request with this token. */
async function status({ url }: Client, token: string, message: object = { method: 'tools/list', params: {} }) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body })
  await answer.body?.cancel()
  return { status: answer.status, challenge: answer.headers.get('www-authenticate') ?? '' }
}

const appsOf = async (someone: Client) => (await call(someone, apps.listApps)).body.items
const stepsOf = async (someone: Client, ownerId?: string) => {
  const query = ownerId === undefined ? {} : { workspaceId: ownerId }
  const { items } = (await call(someone, audit.listAudit, { query })).body
  return items.filter(({ subject }) => subject.kind === 'app').map(({ action, actor }) => `${action} ${actor.via}`)
}

test('an app signs in with the official client: registration, a person who agrees, tokens, a call', async (t) => {
  const owner = await newOwner(t, await house())
  await owner.site()
  const app = newApp(owner)
  await signIn(app, await browserOf(owner))
  t.like(app.tokens(), { token_type: 'Bearer', scope: 'read run' })
  const client = await app.connect(t)
  const tool = (await client.listTools()).tools.find(({ name }) => name.includes('echo_text'))
  const result = await client.callTool({ name: tool?.name ?? '', arguments: { text: 'hello' } })
  t.falsy(result.isError, JSON.stringify(result))
  t.regex(JSON.stringify(result), /hello/)
  const [listed] = await appsOf(owner)
  t.like(listed, { name: 'A test app', redirectHost: '127.0.0.1:39123', scopes: ['read', 'run'] })
  t.not(listed?.lastUsedAt, null)
  t.deepEqual(await stepsOf(owner), ['signInApp app', 'allowApp login'])
})

test('an app without a token is told where to sign in, and the metadata says only what is offered', async (t) => {
  const { url } = await house()
  const { challenge } = await status({ url }, 'sy_app_nothing')
  t.regex(challenge, new RegExp(`resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`))
  const read = async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<Record<string, unknown>>
  t.deepEqual(await read('/.well-known/oauth-protected-resource/mcp'), {
    resource: `${url}/mcp`,
    authorization_servers: [url],
    scopes_supported: ['read', 'run'],
    bearer_methods_supported: ['header'],
    resource_name: 'Switchyard',
  })
  t.deepEqual(await read('/.well-known/oauth-authorization-server'), {
    issuer: url,
    authorization_endpoint: `${url}/mcp/authorize`,
    token_endpoint: `${url}/mcp/token`,
    registration_endpoint: `${url}/mcp/register`,
    revocation_endpoint: `${url}/mcp/revoke`,
    scopes_supported: ['read', 'run', 'decide'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
})

test('scopes hold: a person grants some of those that an app asks for, and nobody gets another one', async (t) => {
  const owner = await newOwner(t, await house())
  const browser = await browserOf(owner)
  const app = newApp(owner)
  const request = await openRequest(browser, asking(await app.ask(), 'read run decide openid'))
  const { text } = await browser.jar.ask('GET', `${request}/details`)
  t.deepEqual((JSON.parse(text) as { scopes: string[] }).scopes, ['read', 'run', 'decide'])
  await app.finish(await goBack(browser, (await allow(browser, request, { scopes: ['read'] })).text))
  t.is(app.tokens().scope, 'read')
  t.false('id_token' in app.tokens())
  t.is((await status(owner, app.tokens().access_token)).status, 200)
  const start = { method: 'tools/call', params: { name: 'run_anything', arguments: {} } }
  const refused = await status(owner, app.tokens().access_token, start)
  t.is(refused.status, 403)
  t.regex(refused.challenge, /error="insufficient_scope", scope="run"/)
  const modest = await openRequest(browser, asking(await newApp(owner).ask(), 'read'))
  for (const scopes of [['read', 'decide'], ['decide'], []])
    t.is((await allow(browser, modest, { scopes })).code, 'VALIDATION_ERROR')
  t.is((await post(owner.url, '/mcp/token', renewal(app, { scope: 'read run' }))).body['error'], 'invalid_scope')
})

/** The same request for other scopes. */
const asking = (path: string, scope: string) => path.replace(/scope=[^&]*/, `scope=${encodeURIComponent(scope)}`)

const renewal = (app: ReturnType<typeof newApp>, more: Record<string, string> = {}) => ({
  grant_type: 'refresh_token',
  client_id: (app.stored.client as { client_id: string }).client_id,
  refresh_token: app.tokens().refresh_token,
  ...more,
})

test('a token is for one audience: those of apps for the MCP server, those of sign-in sessions for the API', async (t) => {
  const owner = await newOwner(t, await house())
  const app = newApp(owner)
  await signIn(app, await browserOf(owner))
  t.is((await call({ ...owner, token: app.tokens().access_token }, auth.me)).failure.code, 'INVALID_TOKEN')
  t.is((await status(owner, owner.token)).status, 401)
  t.is((await status(owner, app.tokens().refresh_token)).status, 401)
  const browser = await browserOf(owner)
  const path = `${await newApp(owner).ask()}&resource=${encodeURIComponent('https://other.example/mcp')}`
  const { headers } = await browser.jar.ask('GET', path)
  t.regex(String(headers.location), /[?&]error=invalid_target/)
})

const endOf = async (someone: Client) => {
  const { items } = (await call(someone, audit.listAudit)).body
  return items.find(({ action }) => action === 'endApp')?.after
}

test('a refresh token works until its successor is used, so a lost response ends nothing, and a replay ends the app', async (t) => {
  const owner = await newOwner(t, await house())
  const app = newApp(owner)
  await signIn(app, await browserOf(owner))
  const first = renewal(app)
  const renew = async (token: unknown) => post(owner.url, '/mcp/token', { ...first, refresh_token: String(token) })
  await renew(first.refresh_token)
  const second = await renew(first.refresh_token)
  t.like(second, { status: 200, body: { token_type: 'Bearer', scope: 'read run' } })
  t.is((await status(owner, String(second.body['access_token']))).status, 200)
  const third = await renew(second.body['refresh_token'])
  t.is(third.status, 200)
  t.is((await renew(first.refresh_token)).body['error'], 'invalid_grant')
  t.is((await status(owner, String(third.body['access_token']))).status, 401)
  t.is((await renew(third.body['refresh_token'])).body['error'], 'invalid_grant')
  t.deepEqual(await appsOf(owner), [])
  t.like(await endOf(owner), { reason: 'A refresh token was used although its successor had been used.' })
})

test('simultaneous uses of a refresh token succeed, and the app ends when two of their tokens are used', async (t) => {
  const owner = await newOwner(t, await house())
  const app = newApp(owner)
  await signIn(app, await browserOf(owner))
  const first = renewal(app)
  const uses = await Promise.all(Array.from({ length: 6 }, () => post(owner.url, '/mcp/token', first)))
  t.deepEqual(new Set(uses.map(({ status: one }) => one)), new Set([200]))
  const [one, other] = uses.map(({ body }) => ({ ...first, refresh_token: String(body['refresh_token']) }))
  t.is((await post(owner.url, '/mcp/token', one ?? {})).status, 200)
  t.is((await appsOf(owner)).length, 1)
  t.is((await post(owner.url, '/mcp/token', other ?? {})).body['error'], 'invalid_grant')
  t.deepEqual(await appsOf(owner), [])
})

test('a code needs its verifier and works once: the owner reads that it was refused, and a second use ends the app', async (t) => {
  const owner = await newOwner(t, await house())
  const browser = await browserOf(owner)
  const app = newApp(owner)
  const request = await openRequest(browser, await app.ask())
  const code = (await goBack(browser, (await allow(browser, request)).text)).searchParams.get('code') ?? ''
  const exchange = (more: Record<string, string> = {}) =>
    post(owner.url, '/mcp/token', {
      grant_type: 'authorization_code',
      client_id: (app.stored.client as { client_id: string }).client_id,
      redirect_uri: redirectUrl,
      code,
      code_verifier: String(app.stored.verifier),
      ...more,
    })
  for (const more of [{ code_verifier: 'x'.repeat(43) }, { redirect_uri: `${redirectUrl}/other` }])
    t.is((await exchange(more)).body['error'], 'invalid_grant')
  t.deepEqual(await stepsOf(owner), ['failApp app', 'failApp app', 'allowApp login'])
  const { status: got, body } = await exchange()
  t.is(got, 200)
  t.is((await exchange()).body['error'], 'invalid_grant')
  t.is((await status(owner, String(body['access_token']))).status, 401)
  t.like(await endOf(owner), { reason: 'A code was used twice.' })
})

test('an app of a workspace sees that workspace alone, until its user leaves', async (t) => {
  const platform = await house()
  const boss = await customer(platform, 'team')
  const workspace = await workspaceOf(boss)
  const someone = await memberOf(platform, workspace.id, 'member')
  const browser = await browserOf(someone)
  const app = newApp(someone)
  await signIn(app, browser, { workspaceId: workspace.id })
  const client = await app.connect(t)
  const names = (await client.listTools()).tools.map(({ name }) => name)
  t.deepEqual(names.toSorted(), ['get_call', 'get_run', 'list_runs', 'why'])
  t.like((await appsOf(someone))[0], { ownerId: workspace.id })
  t.deepEqual(await stepsOf(boss, workspace.id), ['signInApp app', 'allowApp login'])
  const elsewhere = await openRequest(browser, await newApp(someone).ask())
  const others = await workspaceOf(await customer(platform, 'team'))
  t.is((await allow(browser, elsewhere, { workspaceId: others.id })).code, 'WORKSPACE_NOT_FOUND')
  const params = { workspaceId: workspace.id, userId: await userIdOf(someone) }
  await call(boss, members.removeMember, { params })
  t.is((await status(someone, app.tokens().access_token)).status, 401)
  t.is((await post(someone.url, '/mcp/token', renewal(app))).body['error'], 'invalid_grant')
})

test('only the browser that made a request answers it, once, and not without the CSRF token of its login', async (t) => {
  const owner = await newOwner(t, await house())
  const browser = await browserOf(owner)
  const request = await openRequest(browser, await newApp({ ...owner, name: 'Evil\u202e "bank"' }).ask())
  const other = await browserOf(owner)
  t.is((await other.jar.ask('GET', `${request}/details`)).code, 'NOT_FOUND')
  t.is((await allow(other, request)).code, 'NOT_FOUND')
  t.is((await allow({ ...browser, csrf: {} }, request)).code, 'PERMISSION_DENIED')
  const refused = await browser.jar.ask('POST', `${request}/refuse`, { headers: browser.csrf })
  t.is(refused.status, 200)
  t.is((JSON.parse(refused.text) as { name: string }).name, 'Evil "bank"')
  const back = await goBack(browser, refused.text)
  t.is(back.searchParams.get('error'), 'access_denied')
  t.is((await allow(browser, request)).code, 'NOT_FOUND')
  t.deepEqual(await appsOf(owner), [])
})

test('of simultaneous answers to a request one counts, and its browser may return with it again', async (t) => {
  const owner = await newOwner(t, await house())
  const browser = await browserOf(owner)
  const app = newApp(owner)
  const request = await openRequest(browser, await app.ask())
  const answers = await Promise.all(Array.from({ length: 4 }, () => allow(browser, request)))
  const [counted, ...others] = answers.toSorted((one, other) => one.status - other.status)
  t.is(counted?.status, 201)
  t.deepEqual(new Set(others.map(({ code }) => code)), new Set(['NOT_FOUND']))
  t.is((await appsOf(owner)).length, 1)
  // The first response with a code is lost, with its cookies.
  const kept = new Map(browser.jar.kept)
  await goBack(browser, counted?.text ?? '')
  for (const [name, cookie] of kept) browser.jar.kept.set(name, cookie)
  await app.finish(await goBack(browser, counted?.text ?? ''))
  t.is(app.tokens().scope, 'read run')
})

const endings: [title: string, end: (someone: Client & { password: string }) => Promise<unknown>][] = [
  [
    'its user disconnects it',
    async (someone) => call(someone, apps.disconnectApp, { params: { appId: (await appsOf(someone))[0]?.id ?? '' } }),
  ],
  [
    'its user changes the password',
    (someone) =>
      call(someone, auth.changePassword, {
        body: { currentPassword: someone.password, newPassword: 'another good password' },
      }),
  ],
  ['its user signs out everywhere', (someone) => call(someone, auth.logoutEverywhere)],
  [
    'its user deletes the account',
    (someone) => call(someone, auth.deleteAccount, { body: { password: someone.password } }),
  ],
]
for (const [title, end] of endings)
  test(`an app ends when ${title}`, async (t) => {
    const someone = await customer(await house())
    const app = newApp(someone)
    await signIn(app, await browserOf(someone))
    t.is((await status(someone, app.tokens().access_token)).status, 200)
    await end(someone)
    t.is((await status(someone, app.tokens().access_token)).status, 401)
    t.is((await post(someone.url, '/mcp/token', renewal(app))).body['error'], 'invalid_grant')
  })

test('nobody sees or disconnects the app of somebody else', async (t) => {
  const [someone, other] = [await customer(await house()), await customer(await house())]
  await signIn(newApp(someone), await browserOf(someone))
  const appId = (await appsOf(someone))[0]?.id ?? ''
  t.deepEqual(await appsOf(other), [])
  t.is((await call(other, apps.disconnectApp, { params: { appId } })).failure.code, 'NOT_FOUND')
  t.is((await appsOf(someone)).length, 1)
})

test('a login that is limited to a workspace sees and ends the apps of that workspace alone', async (t) => {
  const platform = await house()
  const { apps: service, users } = platform.services
  const someone = await customer(platform, 'team')
  const userId = await userIdOf(someone)
  const { id: workspaceId } = await workspaceOf(someone)
  const [own, shared] = [await connectedApp(platform, userId), await connectedApp(platform, userId, workspaceId)]
  const whole = await users.authenticate(`Bearer ${someone.token}`)
  const caller = { ...whole, reach: reachOfProvider(whole.reach, workspaceId) }
  t.deepEqual(
    (await service.list(caller, { limit: 10 })).items.map(({ id }) => id),
    [shared.id],
  )
  await t.throwsAsync(service.get(caller, own.id), { message: /no connected app/ })
  t.is((await service.get(caller, shared.id)).ownerId, workspaceId)
})

test('an app that is connected while its user signs out everywhere is ended or refused, never left behind', async (t) => {
  const platform = await house()
  const { database } = platform.services
  const someone = await customer(platform)
  const userId = await userIdOf(someone)
  const browser = await browserOf(someone)
  const request = await openRequest(browser, await newApp(someone).ask())
  const logout = await database.transaction()
  await logout('users').where({ id: userId }).forUpdate().first()
  const answer = allow(browser, request)
  await eventually(10, 'the decision waits for the logout', async () => {
    const waiting = await database('pg_stat_activity')
      .where({ datname: database.raw('current_database()'), waitEventType: 'Lock' })
      .first()
    return waiting === undefined ? undefined : true
  })
  await logout('logins').where({ userId }).update({ revokedAt: new Date() })
  await logout.commit()
  t.is((await answer).code, 'TOKEN_REVOKED')
  t.is((await database('connected_apps').where({ userId })).length, 0)
})
