// @promise bad-requests
import test from 'ava'
import { ask, exchange, send, statusIn } from './raw-http.ts'
import { bodies } from './refused/bodies.ts'
import { paths } from './refused/paths.ts'
import { queries } from './refused/queries.ts'
import { headersOf } from './refused/request.ts'
import { unharmedIn } from './refused/unharmed.ts'

/** Requests that are refused, on one stage: what routes are asked is in the three files, what is no request here. */
const unharmed = unharmedIn(test)

for (const [title, refusal] of Object.entries({ ...bodies, ...paths, ...queries }))
  // @promise direct-calls lists
  test(title, (t) => unharmed(t, (stage) => refusal(t, stage)))

test('a path is known in one spelling and with a slash at its end, and a method where it is declared', (t) =>
  unharmed(t, async (stage) => {
    const { url } = stage.platform
    const headers = headersOf(stage)
    const { agentId = '' } = stage.params
    const unknown = ['/nonsense', '/Agents', '/AGENTS', '//agents', '/agents//', '/./agents', '/agents;a=b']
    for (const path of [
      ...unknown,
      '/x/../agents',
      '/agents%2F',
      `/agents/${agentId}//`,
      '/%61gents%00',
      '/docs/../agents',
    ])
      t.is((await send(url, { path, headers })).code, 'NOT_FOUND', path)
    for (const path of ['/agents/', `/agents/${agentId}/`])
      t.is((await send(url, { path, headers })).text, (await send(url, { path: path.slice(0, -1), headers })).text)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'PURGE']) {
      const answer = await send(url, { method, path: '/agents', headers })
      t.deepEqual([answer.status, answer.code], [405, 'METHOD_NOT_ALLOWED'], method)
    }
    const { status, text } = await send(url, { method: 'HEAD', path: '/agents', headers })
    t.deepEqual([status, text], [200, ''])
  }))

test('headers cannot make a request into another one', (t) =>
  unharmed(t, async (stage) => {
    const { agentId = '' } = stage.params
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override', '_method']) {
      const headers = { ...headersOf(stage), [name]: 'DELETE' }
      t.is((await send(stage.platform.url, { path: `/agents/${agentId}`, headers })).status, 200, name)
      const queried = await send(stage.platform.url, { path: `/agents/${agentId}?_method=DELETE`, headers })
      t.is(queried.code, 'VALIDATION_ERROR', name)
    }
    for (const name of ['x-original-url', 'x-rewrite-url', 'x-forwarded-host', 'x-forwarded-prefix']) {
      const answer = await send(stage.platform.url, { path: '/healthz', headers: { [name]: '/agents' } })
      t.is(answer.text, '{"status":"ok"}', name)
    }
  }))

test('an idempotency key that is none is refused, not ignored', (t) =>
  unharmed(t, async (stage) => {
    const path = `/api/webhooks/agent/${stage.agent.id}`
    const odd = ['', ' ', 'a b', 'a\tb', 'x'.repeat(256), 'x'.repeat(300), 'caf\u00e9', 'a\u00a0b', '\u0080']
    for (const name of ['idempotency-key', 'webhook-id'])
      for (const key of odd) {
        const headers = { ...headersOf(stage), [name]: key }
        const answer = await send(stage.platform.url, { method: 'POST', path, headers, body: '{}' })
        t.is(answer.code, 'VALIDATION_ERROR', `${name}: ${JSON.stringify(key.slice(0, 20))}`)
      }
    const twice = { ...headersOf(stage), 'idempotency-key': ['one', 'two'] }
    t.is(
      (await send(stage.platform.url, { method: 'POST', path, headers: twice, body: '{}' })).code,
      'VALIDATION_ERROR',
    )
  }))

test('a request id of the client is kept only if it is harmless', (t) =>
  unharmed(t, async ({ platform: { url, logs } }) => {
    const kept = await send(url, { path: '/healthz', headers: { 'x-request-id': 'abc-1.2_3' } })
    t.is(kept.headers['x-request-id'], 'abc-1.2_3')
    for (const id of ['<script>', 'a b', 'x'.repeat(65), '"\\u001b[31m', 'caf\u00e9', '', '{"a":1}']) {
      const answer = await send(url, { path: '/healthz', headers: { 'x-request-id': id } })
      t.regex(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/, id)
    }
    t.notThrows(() => logs.forEach((line) => void JSON.parse(line)))
  }))

test('what is no HTTP is refused, and never hangs or harms', (t) =>
  unharmed(t, async (stage) => {
    const { url } = stage.platform
    const host = 'Host: x\r\nConnection: close\r\n'
    const requests: [string, string][] = [
      ['nonsense', 'nonsense\r\n\r\n'],
      ['an unknown method', `FOO /healthz HTTP/1.1\r\n${host}\r\n`],
      ['a control character in a header', `GET /healthz HTTP/1.1\r\n${host}X-A: a\u0001b\r\n\r\n`],
      ['NUL in a header', `GET /healthz HTTP/1.1\r\n${host}X-A: a\u0000b\r\n\r\n`],
      ['NUL in the path', `GET /healthz\u0000 HTTP/1.1\r\n${host}\r\n`],
      ['a space in a header name', `GET /healthz HTTP/1.1\r\n${host}X A: b\r\n\r\n`],
      ['a folded header', `GET /healthz HTTP/1.1\r\n${host}\r\n X-A: b\r\n\r\n`],
      ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
      [
        'a token of a megabyte',
        `GET /agents HTTP/1.1\r\n${host}Authorization: Bearer ${'a'.repeat(1_000_000)}\r\n\r\n`,
      ],
      ['a path of a megabyte', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n${host}\r\n`],
      ['ten thousand headers', `GET /healthz HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(10_000)}\r\n`],
    ]
    for (const [what, bytes] of requests) {
      const status = statusIn(await exchange(url, Buffer.from(bytes, 'latin1')))
      t.true([0, 400, 414, 431].includes(status), `${what}: ${status}`)
    }
  }))

test('a request target that cannot be read is a VALIDATION_ERROR, and no target is a failure of ours', (t) =>
  unharmed(t, async ({ platform: { url } }) => {
    const asked = async (target: string) =>
      ask(url, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1'))
    for (const target of ['http://[', 'http://[::1/agents']) {
      const answer = await asked(target)
      t.is(statusIn(answer), 400, target)
      t.regex(answer, /"code":"VALIDATION_ERROR".*"The request target|The request target.*VALIDATION_ERROR/s)
    }
    const odd = [
      'https://x:99999/agents',
      '*',
      '//',
      '//x',
      'http://other.example/healthz',
      '/%ff',
      '/%00',
      '/%',
      `/${'a'.repeat(10_000)}`,
      '?',
      '/?%',
    ]
    for (const target of odd) {
      const answer = await asked(target)
      t.true([200, 302, 400, 401, 404].includes(statusIn(answer)), `${target}: ${answer}`)
    }
  }))

test('a body whose length is a lie, or that never ends, starts nothing', (t) =>
  unharmed(t, async (stage) => {
    const { url, config } = stage.platform
    const body = '{"title":"It is broken"}'
    const head = (...more: string[]) =>
      [
        `POST /api/webhooks/agent/${stage.agent.id} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        'Content-Type: application/json',
        `X-Webhook-Secret: ${stage.agent.webhookSecret}`,
        ...more,
        '\r\n',
      ].join('\r\n')
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const lies: [string, string][] = [
      ['longer than the body', `${head(`Content-Length: ${body.length + 10}`)}${body}`],
      ['shorter than the body', `${head(`Content-Length: ${body.length - 1}`)}${body}`],
      ['negative', `${head('Content-Length: -1')}${body}`],
      ['no number', `${head('Content-Length: 1e2')}${body}`],
      ['two lengths', `${head('Content-Length: 2', `Content-Length: ${body.length}`)}${body}`],
      ['length and chunks', `${head('Content-Length: 2', 'Transfer-Encoding: chunked')}${chunk(body)}0\r\n\r\n`],
      ['no length and no chunks', `${head()}${body}`],
      ['chunks without an end', `${head('Transfer-Encoding: chunked')}${chunk(body)}`],
      ['a chunk of another length', `${head('Transfer-Encoding: chunked')}5\r\n${body}\r\n0\r\n\r\n`],
      ['an unknown transfer encoding', `${head('Transfer-Encoding: nonsense')}${body}`],
      [
        'chunks that grow too long',
        `${head('Transfer-Encoding: chunked')}${chunk(' '.repeat(64_000)).repeat(20)}0\r\n\r\n`,
      ],
      ['too long, and announced', head(`Content-Length: ${config.bodies.webhookBytes + 1}`, 'Expect: 100-continue')],
    ]
    for (const [what, bytes] of lies) {
      const answer = await exchange(url, bytes)
      t.false(answer.includes('HTTP/1.1 2'), `${what}: ${answer}`)
    }
  }))

test('what is refused before it is a request gets the error body of the platform too', (t) =>
  unharmed(t, async (stage) => {
    const long = await exchange(
      stage.platform.url,
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    )
    t.regex(long, /^HTTP\/1\.1 400 /)
    t.regex(long, /"code":"VALIDATION_ERROR".*/)
    t.regex(long, /larger than 16384 bytes/)
    t.regex(await exchange(stage.platform.url, 'this is not HTTP\r\n\r\n'), /"code":"VALIDATION_ERROR"/)
    const { agentId = '' } = stage.params
    const token = `Authorization: Bearer ${stage.owner.token}\r\n`
    const path = `/api/webhooks/agent/${stage.agent.id}`
    const expecting = 'Host: x\r\nExpect: foo\r\n'
    const secret = `Content-Type: application/json\r\nX-Webhook-Secret: ${stage.agent.webhookSecret}\r\n`
    const refused: [string, string][] = [
      ['Host', `GET /agents HTTP/1.1\r\n${token}\r\n`],
      ['Host', `DELETE /agents/${agentId} HTTP/1.1\r\n${token}\r\n`],
      ['Host', `POST ${path} HTTP/1.1\r\n${secret}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`],
      ['Expect', `GET /healthz HTTP/1.1\r\n${expecting}\r\n`],
      ['Expect', `DELETE /agents/${agentId} HTTP/1.1\r\n${expecting}${token}\r\n`],
      ['Expect', `POST ${path} HTTP/1.1\r\n${expecting}${secret}Content-Length: 2\r\n\r\n{}`],
    ]
    for (const [header, request] of refused) {
      const answer = (await ask(stage.platform.url, request)).replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      t.is(statusIn(answer), 400, request)
      t.regex(answer, /\r\ncontent-type: application\/json/i)
      const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as { error: string; details: unknown }
      t.like(body, { code: 'VALIDATION_ERROR', statusCode: 400, details: [{ path: header, message: body.error }] })
      t.regex(body.error, new RegExp(`^The header ${header} `))
    }
    t.is((await send(stage.platform.url, { path: `/agents/${agentId}`, headers: headersOf(stage) })).status, 200)
    t.is(statusIn(await ask(stage.platform.url, `GET /agents HTTP/1.0\r\n${token}\r\n`)), 200, 'as of old')
    t.regex(await exchange(stage.platform.url, 'GET /healthz HTTP/1.0\r\nExpect: foo\r\n\r\n'), /"status":"ok"/)
  }))
