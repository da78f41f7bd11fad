import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import type { CallOutcome } from '../../../../../src/tools/call-outcome.ts'
import type { SiteCall } from '../../../../../src/tools/call-site.ts'
import { bodyOf, parameter, startApi, type Api } from '../../../../helpers/api-server.ts'
import { openDialect, shareThreads } from '../mcp/dialect.ts'

shareThreads(test)

/** Lists an API with all its operations chosen, and calls them as they were pinned. */
async function open(t: ExecutionContext, operations: Parameters<typeof startApi>[1], more: object = {}) {
  const [api, dialect] = [await startApi(t, operations, more), await openDialect(t)]
  const chosen = Object.values(operations).map(({ operationId }) => operationId as string)
  const { manifest } = await dialect.list(api.documentUrl, undefined, { chosen, dialect: 'openapi' })
  const { credential } = manifest.auth as { credential?: unknown }
  const call = (name: string, args: unknown = {}, given: Partial<SiteCall> = {}) =>
    dialect.call(manifest.server.url, name, {
      dialect: 'openapi',
      credential,
      pinned: manifest.tools.find((tool) => tool.name === name),
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
      ...given,
    })
  return { api, call }
}

const last = ({ received }: Api) => received.at(-1) ?? { method: '', url: '', headers: {}, body: '' }

const list = ['a/b', 'c d', 3]
const object = { r: 100, 'g&': 'x=y' }

/** A style of a parameter, its value, and how RFC 6570 writes it. */
const styles: [place: 'path' | 'query', style: string, explode: boolean, value: unknown, written: string][] = [
  ['path', 'simple', false, '..é/.b', '/x/..%C3%A9%2F.b'],
  ['path', 'simple', false, list, '/x/a%2Fb,c%20d,3'],
  ['path', 'simple', false, object, '/x/r,100,g%26,x%3Dy'],
  ['path', 'simple', true, object, '/x/r=100,g%26=x%3Dy'],
  ['path', 'label', false, list, '/x/.a%2Fb,c%20d,3'],
  ['path', 'label', true, list, '/x/.a%2Fb.c%20d.3'],
  ['path', 'label', true, object, '/x/.r=100.g%26=x%3Dy'],
  ['path', 'matrix', false, list, '/x/;p=a%2Fb,c%20d,3'],
  ['path', 'matrix', true, list, '/x/;p=a%2Fb;p=c%20d;p=3'],
  ['path', 'matrix', true, object, '/x/;r=100;g%26=x%3Dy'],
  ['query', 'form', true, 'a&b=c#d', '/x?p=a%26b%3Dc%23d'],
  ['query', 'form', true, list, '/x?p=a%2Fb&p=c%20d&p=3'],
  ['query', 'form', true, object, '/x?r=100&g%26=x%3Dy'],
  ['query', 'form', false, list, '/x?p=a%2Fb,c%20d,3'],
  ['query', 'form', false, object, '/x?p=r,100,g%26,x%3Dy'],
  ['query', 'form', true, [], '/x'],
  ['query', 'spaceDelimited', false, list, '/x?p=a%2Fb%20c%20d%203'],
  ['query', 'pipeDelimited', false, list, '/x?p=a%2Fb%7Cc%20d%7C3'],
  [
    'query',
    'deepObject',
    true,
    { a: { b: [1, 'x'] }, c: true },
    '/x?p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=x&p%5Bc%5D=true',
  ],
]

test('parameters are written in their styles, and no value leaves its place in the address', async (t) => {
  const operations = Object.fromEntries(
    styles.map(([place, style, explode], index) => [
      `GET /${index}/x${place === 'path' ? '/{p}' : ''}`,
      { operationId: `op_${index}`, parameters: [parameter('p', place, { style, explode })] },
    ]),
  )
  const { api, call } = await open(t, operations)
  for (const [index, [, style, , p, written]] of styles.entries()) {
    t.like(await call(`op_${index}`, { p }), { kind: 'succeeded' }, style)
    t.is(last(api).url, `/v1/${index}${written}`, `${style} ${JSON.stringify(p)}`)
  }
})

test('a path that would lead to another operation is not requested', async (t) => {
  const operations = { 'DELETE /pets/{id}': { operationId: 'remove', parameters: [parameter('id', 'path')] } }
  const { api, call } = await open(t, operations)
  // Proxies may decode slashes before they resolve steps.
  const inside = ['../admin', 'a/../b', 'a/..', './a', 'a\\..\\b', '..\\']
  for (const id of ['', '.', '..', [], null, ...inside]) {
    const outcome = await call('remove', { id })
    t.like(outcome, { kind: 'unavailable', certain: true, permanent: true }, JSON.stringify(id))
    t.regex(outcome.text, /^Nothing was sent\. .*must not be/)
  }
  t.like(await call('remove', { id: '..%2f' }), { kind: 'succeeded' })
  t.is(last(api).url, '/v1/pets/..%252f')
  t.is(api.received.length, 1)
})

test('bodies are sent as their types say, with every number as it was written', async (t) => {
  const types = ['application/json', 'application/x-www-form-urlencoded', 'application/merge-patch+json']
  const operations = Object.fromEntries(
    types.map((type, index) => [
      `${index === 2 ? 'PATCH' : 'PUT'} /${index}`,
      { operationId: `op_${index}`, ...bodyOf(type) },
    ]),
  )
  const { api, call } = await open(t, operations)
  const exact = '{"id":12345678901234567890,"price":1.10}'
  await call('op_0', `{"body":${exact}}`)
  t.like(last(api), { method: 'PUT', body: exact })
  await call('op_1', `{"body":{"n":1.10,"tags":["a b","c&d"],"owner":{"name":"é"}}}`)
  t.is(last(api).body, 'n=1.10&tags=a%20b&tags=c%26d&owner%5Bname%5D=%C3%A9')
  await call('op_2', `{"body":[${exact}]}`)
  t.like(last(api), { method: 'PATCH', body: `[${exact}]` })
  t.deepEqual(
    api.received.map(({ headers }) => headers['content-type']),
    types,
  )
})

test('headers hold plain values, and none that the platform decides about', async (t) => {
  // Some servers obey the last ones as they do the method and the path.
  const overriding = ['X-HTTP-Method-Override', 'x-method-override', 'X-HTTP-Method', 'X-Original-URL', 'X-Rewrite-Url']
  const names = ['X-Trace', 'Authorization', 'Host', 'Idempotency-Key', 'Cookie', 'Content-Type', ...overriding]
  const operations = {
    'GET /pets': { operationId: 'list', parameters: names.map((name) => parameter(name, 'header')) },
  }
  const { api, call } = await open(t, operations)
  const token = 'the-token-of-the-owner'
  const args = Object.fromEntries(names.map((name) => [name, name === 'X-Trace' ? ['a', 1] : 'x']))
  await call('list', args, { token, idempotencyKey: 'our-key' })
  const { headers } = last(api)
  t.like(headers, { 'x-trace': 'a,1', authorization: `Bearer ${token}`, 'idempotency-key': 'our-key' })
  t.is(headers.host, new URL(api.origin).host)
  t.deepEqual(
    ['cookie', 'content-type', ...overriding].filter((name) => name.toLowerCase() in headers),
    [],
  )
  const outcome = await call('list', { 'X-Trace': 'a\r\nX-Other: b' })
  t.like(outcome, { kind: 'unavailable', certain: true })
  t.is(api.received.length, 1)
})

/** A scheme of a document, the pasted credential, and where it must arrive. */
const schemes: [scheme: object, token: string, seen: { url?: string; headers?: Record<string, string> }][] = [
  [{ type: 'http', scheme: 'bearer' }, 'token-0123456789', { headers: { authorization: 'Bearer token-0123456789' } }],
  [
    { type: 'http', scheme: 'basic' },
    'ada:pass-word-1',
    { headers: { authorization: `Basic ${Buffer.from('ada:pass-word-1').toString('base64')}` } },
  ],
  [
    { type: 'http', scheme: 'basic', description: 'The key is the name of the user' },
    'sk_live_0123456789:',
    { headers: { authorization: `Basic ${Buffer.from('sk_live_0123456789:').toString('base64')}` } },
  ],
  [{ type: 'apiKey', in: 'header', name: 'X-Key' }, 'key-0123456789', { headers: { 'x-key': 'key-0123456789' } }],
  [
    { type: 'apiKey', in: 'query', name: 'key' },
    'key/0123 456+789',
    { url: '/v1/pets?q=1&key=key%2F0123%20456%2B789' },
  ],
]

for (const [scheme, token, seen] of schemes) {
  test(`a credential of the scheme ${JSON.stringify(scheme)} is sent in its place, and never shown`, async (t) => {
    const operations = {
      'GET /pets': {
        operationId: 'list',
        parameters: [parameter('q', 'query'), parameter('key', 'query')],
        security: [{ given: [] }],
      },
    }
    const { api, call } = await open(t, operations, { components: { securitySchemes: { given: scheme } } })
    api.answer = (request, response) => {
      const { url = '', headers } = request
      const password = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString()
      const parts = password.split(':').filter((part) => part !== '')
      const quoted = [url, decodeURIComponent(url), JSON.stringify(headers), password, ...parts].join(' ')
      response.writeHead(url.includes('fail') ? 400 : 200).end(JSON.stringify({ error: quoted }))
    }
    const outcomes = [
      await call('list', { q: 1, key: 'mine' }, { token }),
      await call('list', { q: 'fail' }, { token }),
    ]
    t.like(api.received[0], { url: '/v1/pets?q=1&key=mine', ...seen })
    t.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['succeeded', 'rejected'],
    )
    const secrets = [
      token,
      // Some sites take a key as the name of a user, without a password.
      Buffer.from(token).toString('base64'),
      encodeURIComponent(token),
      ...token.split(':').filter((part) => part.length > 3),
    ]
    const shown = JSON.stringify(outcomes)
    t.deepEqual(
      secrets.filter((secret) => shown.includes(secret)),
      [],
    )
  })
}

test('an address that is too long with the key in it is not requested, and no repeat of the call would help', async (t) => {
  const scheme = { type: 'apiKey', in: 'query', name: 'key' }
  const operations = {
    'GET /pets': { operationId: 'list', parameters: [parameter('q', 'query')], security: [{ given: [] }] },
  }
  const { api, call } = await open(t, operations, { components: { securitySchemes: { given: scheme } } })
  const q = 'x'.repeat(2048 - `${api.serverUrl}/pets?q=&key=secret`.length)
  t.like(await call('list', { q }, { token: 'secret' }), { kind: 'succeeded' })
  const outcome = await call('list', { q: `${q}x` }, { token: 'secret' })
  t.like(outcome, { kind: 'unavailable', certain: true, permanent: true })
  t.regex(outcome.text, /^Nothing was sent\. .* more than 2048 characters/)
  t.is(api.received.length, 1)
})

test('a key in the query is added to all that the arguments say, and replaces what they say under its name', async (t) => {
  const allowReserved = { allowReserved: true }
  const operations = {
    'GET /pets': {
      operationId: 'list',
      parameters: [parameter('q', 'query', allowReserved), parameter('key', 'query'), parameter('z', 'query')],
    },
  }
  const keyInQuery = { type: 'apiKey', in: 'query', name: 'key' }
  const more = { components: { securitySchemes: { given: keyInQuery } }, security: [{ given: [] }] }
  const { api, call } = await open(t, operations, more)
  await call('list', { q: 'a?b=c?d', key: 'mine', z: 1 }, { token: 'the-token' })
  t.is(last(api).url, '/v1/pets?q=a?b%3Dc?d&z=1&key=the-token')
})

test('a parameter may be named like what every object has, and is sent only if it is given', async (t) => {
  const names = ['toString', 'constructor', 'hasOwnProperty']
  const operations = {
    'GET /pets': { operationId: 'list', parameters: names.map((name) => parameter(name, 'query')) },
    'GET /pets/{valueOf}': { operationId: 'get', parameters: [parameter('valueOf', 'path')] },
  }
  const { api, call } = await open(t, operations)
  t.like(await call('list'), { kind: 'succeeded' })
  t.is(last(api).url, '/v1/pets')
  t.like(await call('list', { toString: 'a', constructor: 'b' }), { kind: 'succeeded' })
  t.is(last(api).url, '/v1/pets?toString=a&constructor=b')
  t.like(await call('get'), { kind: 'unavailable', certain: true })
  t.is(api.received.length, 2)
})

test('a call that the platform fails to write is certain not to be sent', async (t) => {
  const { api, call } = await open(t, { 'POST /pets': { operationId: 'add' } })
  for (const request of [{}, { method: 'POST', path: 7, parameters: [] }]) {
    const pinned = { name: 'add', description: '', input_schema: {}, request }
    const outcome = await call('add', { a: 'the-argument' }, { pinned: pinned as unknown as SiteCall['pinned'] })
    t.like(outcome, { kind: 'unavailable', certain: true, permanent: true })
    t.regex(outcome.text, /^Nothing was sent\. The platform could not write the request\.$/)
  }
  t.deepEqual(api.received, [])
})

const answering =
  (status: number, body: string | Buffer, type?: string, more: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { ...(type !== undefined && { 'content-type': type }), ...more }).end(body)

/** A response of an API, and the outcome of the call. */
const answers: [answer: RequestListener, outcome: Partial<CallOutcome>][] = [
  [
    answering(200, '[{"id":12345678901234567890}]', 'application/json'),
    { kind: 'succeeded', text: '{"result":[{"id":12345678901234567890}]}' },
  ],
  [answering(200, '42', 'application/json; charset=utf-8'), { kind: 'succeeded', text: '{"result":42}' }],
  [answering(200, '1,"x":2', 'application/json'), { kind: 'unread', httpStatus: 200 }],
  [
    answering(201, 'Made "it".', 'text/plain'),
    { kind: 'succeeded', httpStatus: 201, text: '{"text":"Made \\"it\\"."}' },
  ],
  [answering(204, ''), { kind: 'succeeded', httpStatus: 204, text: '{}' }],
  [answering(200, Buffer.from([0xff, 0xd8]), 'image/jpeg'), { kind: 'unread', httpStatus: 200 }],
  [
    answering(422, '{"errors":[{"message":"Too long."}]}', 'application/json'),
    { kind: 'rejected', text: 'The site rejected the call with status 422. The site says: "Too long."' },
  ],
  [
    answering(404, '{"title":"Gone","detail":"No such pet."}', 'application/problem+json'),
    { kind: 'rejected', text: 'The site rejected the call with status 404. The site says: "No such pet."' },
  ],
  [
    answering(429, '{"error":{"message":"Slow down."}}', 'application/json', { 'retry-after': '7' }),
    { kind: 'refused', httpStatus: 429, certain: true, retryAfter: 7 },
  ],
  [
    answering(401, 'Who?', 'text/plain'),
    { kind: 'refused', httpStatus: 401, text: 'The site rejected the token. The site says: "Who?"' },
  ],
  [answering(503, ''), { kind: 'broken', httpStatus: 503 }],
  [answering(302, '', undefined, { location: 'https://localhost/login' }), { kind: 'broken', certain: false }],
]

test('whatever an API answers becomes an outcome in the form of all sites', async (t) => {
  const { api, call } = await open(t, { 'POST /pets': { operationId: 'add' } })
  for (const [answer, expected] of answers) {
    api.answer = answer
    t.like(await call('add'), expected, JSON.stringify(expected))
  }
  t.is(api.received.length, answers.length)
})
