// @promise origins
import test, { type ExecutionContext } from 'ava'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { send, type RawAnswer } from './raw-http.ts'

const app = 'https://app.example.com'
const local = 'http://localhost:5173'

const platformOf = sharedPlatform(test, 'idle')
const platforms = forWholeFile(test, 'cross-origin requests', async (t) => ({
  none: await platformOf(),
  some: await startPlatform(t, { env: { CORS_ORIGINS: `${app}, ${local}` } }),
  any: await startPlatform(t, { env: { CORS_ORIGINS: '*' } }),
}))

type Which = 'none' | 'some' | 'any'

async function ask(which: Which, method: string, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  const platform = (await platforms())[which]
  return send(platform.url, { method, path: path.replaceAll(/\{\w+\}/g, () => newId()), headers })
}

const preflight = (which: Which, path: string, method: string, origin = app) =>
  ask(which, 'OPTIONS', path, {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  })

const members = (answer: RawAnswer, header: string): string[] =>
  String(answer.headers[header] ?? '')
    .split(', ')
    .filter(Boolean)

const corsIn = ({ headers }: RawAnswer): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

/** Those that a script may be allowed to call; the others are called by senders, or opened in a browser. */
const isClosed = ({ proof, browser }: AnyRoute): boolean => browser === true || (proof !== undefined && !proof.account)
const shared = routes.filter((route) => !isClosed(route))
const closed = routes.filter(isClosed)

function noCredentials(t: ExecutionContext, answer: RawAnswer): void {
  t.is(answer.headers['access-control-allow-credentials'], undefined)
}

test('without CORS_ORIGINS no origin is let in', async (t) => {
  for (const path of ['/healthz', '/agents', '/agents/{agentId}', '/chat/messages', '/nonsense']) {
    t.deepEqual(corsIn(await preflight('none', path, 'POST')), [], path)
    t.deepEqual(corsIn(await ask('none', 'GET', path, { origin: app })), [], path)
  }
})

test('the preflight of a listed origin is answered with what each path takes, and never allows credentials', async (t) => {
  t.true(shared.length > 60)
  for (const { path, method, name } of shared) {
    const answer = await preflight('some', path, method.toUpperCase(), local)
    t.is(answer.status, 204, name)
    t.is(answer.headers['access-control-allow-origin'], local, name)
    t.true(members(answer, 'access-control-allow-methods').includes(method.toUpperCase()), name)
    const allowed = new Set(members(answer, 'access-control-allow-headers').map((one) => one.toLowerCase()))
    for (const header of ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'x-session-token'])
      t.true(allowed.has(header), header)
    t.false(allowed.has('x-webhook-secret') || allowed.has('*'))
    t.true(members(answer, 'vary').includes('Origin'))
    noCredentials(t, answer)
  }
})

test('a listed origin may read every answer, refusals included, and the headers that clients need', async (t) => {
  for (const [method, path, status] of [
    ['GET', '/healthz', 200],
    ['GET', '/agents', 401],
    ['PUT', '/agents', 405],
    ['GET', '/nonsense', 404],
    ['GET', '/openapi.json', 200],
  ] as const) {
    const answer = await ask('some', method, path, { origin: app })
    t.is(answer.status, status, path)
    t.is(answer.headers['access-control-allow-origin'], app, path)
    t.deepEqual(
      members(answer, 'access-control-expose-headers').toSorted(),
      ['Allow', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id', 'X-Resumable-Stream-Id'],
      path,
    )
    t.true(members(answer, 'vary').includes('Origin'), path)
    noCredentials(t, answer)
  }
})

test('other origins are not let in, however alike, and caches are told that the answer depends on the origin', async (t) => {
  for (const origin of [
    'https://evil.example.com',
    `${app}.evil.example`,
    `${app}:8443`,
    'http://app.example.com',
    'https://APP.example.com',
    `${app}/`,
    'null',
    '*',
    '',
  ]) {
    const answer = await ask('some', 'GET', '/healthz', { origin })
    t.deepEqual([answer.status, corsIn(answer)], [200, []], origin)
    t.true(members(answer, 'vary').includes('Origin'), origin)
    t.deepEqual(corsIn(await preflight('some', '/agents', 'GET', origin)), [], origin)
  }
  const bare = await ask('some', 'GET', '/healthz', {})
  t.deepEqual([corsIn(bare), members(bare, 'vary').includes('Origin')], [[], true])
})

test('with * any origin may read, and never with credentials', async (t) => {
  for (const origin of [app, 'https://elsewhere.example', 'null']) {
    const answer = await ask('any', 'GET', '/healthz', { origin })
    t.is(answer.headers['access-control-allow-origin'], '*', origin)
    noCredentials(t, answer)
    const asked = await preflight('any', '/agents/{agentId}', 'PATCH', origin)
    t.deepEqual([asked.status, asked.headers['access-control-allow-origin']], [204, '*'])
    t.deepEqual(members(asked, 'access-control-allow-methods'), ['DELETE', 'GET', 'HEAD', 'PATCH'])
    noCredentials(t, asked)
  }
})

test('webhooks and the pages of OAuth let no origin in, not even with *', async (t) => {
  t.deepEqual(closed.map(({ name }) => name).toSorted(), [
    'finishForeignOAuth',
    'finishOAuth',
    'finishSignIn',
    'getDelivery',
    'goToProvider',
    'goToSite',
    'openAppRequest',
    'receiveStripeEvent',
    'receiveWebhook',
    'startSignIn',
    'withdrawDelivery',
  ])
  for (const which of ['some', 'any'] as const)
    for (const { path, method, name } of closed)
      for (const spelled of [path, `${path}/`]) {
        t.deepEqual(corsIn(await preflight(which, spelled, method.toUpperCase())), [], name)
        t.deepEqual(corsIn(await ask(which, method.toUpperCase(), spelled, { origin: app })), [], name)
      }
})
