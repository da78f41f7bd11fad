// @promise bad-requests
import test from 'ava'
import { customer, webhookAgent } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { ask, exchange, send, statusIn } from './raw-http.ts'

/* What is no request here, or tries to be another one. */

const platformOf = sharedPlatform(test, 'idle')

/** An agent of a webhook that accepts nothing in the test, and what its owner asks with. */
async function open() {
  const platform = await platformOf()
  const owner = await customer(platform)
  const agent = await webhookAgent(owner)
  const headers = {
    authorization: `Bearer ${owner.token}`,
    'content-type': 'application/json',
    'x-webhook-secret': agent.webhookSecret,
  }
  const runs = async () => (await platform.services.database('runs').where({ agentId: agent.id })).length
  return { platform, url: platform.url, owner, agent, headers, runs, path: `/api/webhooks/agent/${agent.id}` }
}

test('headers cannot make a request into another one', async (t) => {
  const { url, agent, headers } = await open()
  for (const name of ['x-http-method-override', 'x-method-override']) {
    const answer = await send(url, { path: `/agents/${agent.id}`, headers: { ...headers, [name]: 'DELETE' } })
    t.is(answer.status, 200, name)
  }
  for (const name of ['x-original-url', 'x-rewrite-url', 'x-forwarded-host', 'x-forwarded-prefix']) {
    const answer = await send(url, { path: '/healthz', headers: { [name]: '/agents' } })
    t.is(answer.text, '{"status":"ok"}', name)
  }
})

test('an idempotency key that is none is refused, not ignored', async (t) => {
  const { url, headers, path, runs } = await open()
  const post = (more: Record<string, string | string[]>) =>
    send(url, { method: 'POST', path, headers: { ...headers, ...more }, body: '{}' })
  for (const name of ['idempotency-key', 'webhook-id'])
    for (const key of ['', 'a b', 'x'.repeat(256), 'caf\u00e9'])
      t.is((await post({ [name]: key })).code, 'VALIDATION_ERROR', `${name}: ${key.slice(0, 20)}`)
  t.is((await post({ 'idempotency-key': ['one', 'two'] })).code, 'VALIDATION_ERROR')
  t.is(await runs(), 0)
})

test('a request id of the client is kept only if it is harmless', async (t) => {
  const { url, platform } = await open()
  const kept = await send(url, { path: '/healthz', headers: { 'x-request-id': 'abc-1.2_3' } })
  t.is(kept.headers['x-request-id'], 'abc-1.2_3')
  for (const id of ['<script>', 'a b', 'x'.repeat(65), 'caf\u00e9', '']) {
    const answer = await send(url, { path: '/healthz', headers: { 'x-request-id': id } })
    t.regex(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/, id)
  }
  t.notThrows(() => platform.logs.forEach((line) => void JSON.parse(line)))
})

test('what is no HTTP is refused, and never hangs or harms', async (t) => {
  const { url } = await open()
  const host = 'Host: x\r\nConnection: close\r\n'
  const requests: Record<string, string> = {
    nonsense: 'nonsense\r\n\r\n',
    'an unknown method': `FOO /healthz HTTP/1.1\r\n${host}\r\n`,
    'NUL in a header': `GET /healthz HTTP/1.1\r\n${host}X-A: a\u0000b\r\n\r\n`,
    'a folded header': `GET /healthz HTTP/1.1\r\n${host}\r\n X-A: b\r\n\r\n`,
    'no host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
    'a path of a megabyte': `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n${host}\r\n`,
    'ten thousand headers': `GET /healthz HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(10_000)}\r\n`,
    'a target that cannot be read': `GET http://[ HTTP/1.1\r\n${host}\r\n`,
  }
  for (const [what, bytes] of Object.entries(requests)) {
    const status = statusIn(await exchange(url, Buffer.from(bytes, 'latin1')))
    // Some clients of HTTP begin with an empty line, which is one more request here.
    t.true([0, 400, 414, 431].includes(status), `${what}: ${status}`)
  }
  for (const target of ['https://x:99999/agents', '*', '//x', '/%ff', '/%', '?'])
    t.true(statusIn(await ask(url, `GET ${target} HTTP/1.1\r\n${host}\r\n`)) < 500, target)
})

test('a body whose length is a lie, or that never ends, starts nothing', async (t) => {
  const { url, agent, path, platform, runs } = await open()
  const body = '{"title":"It is broken"}'
  const head = (...more: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      'Content-Type: application/json',
      `X-Webhook-Secret: ${agent.webhookSecret}`,
      ...more,
      '\r\n',
    ].join('\r\n')
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const chunked = 'Transfer-Encoding: chunked'
  const lies: Record<string, string> = {
    'longer than the body': `${head(`Content-Length: ${body.length + 10}`)}${body}`,
    'shorter than the body': `${head(`Content-Length: ${body.length - 1}`)}${body}`,
    'two lengths': `${head('Content-Length: 2', `Content-Length: ${body.length}`)}${body}`,
    'length and chunks': `${head('Content-Length: 2', chunked)}${chunk(body)}0\r\n\r\n`,
    'chunks without an end': `${head(chunked)}${chunk(body)}`,
    'a chunk of another length': `${head(chunked)}5\r\n${body}\r\n0\r\n\r\n`,
    'chunks that grow too long': `${head(chunked)}${chunk(' '.repeat(64_000)).repeat(20)}0\r\n\r\n`,
    'too long, and announced': head(
      `Content-Length: ${platform.config.bodies.webhookBytes + 1}`,
      'Expect: 100-continue',
    ),
  }
  for (const [what, bytes] of Object.entries(lies)) t.false((await exchange(url, bytes)).includes('HTTP/1.1 2'), what)
  t.is(await runs(), 0)
})

test('what is refused before it is a request gets the error body of the platform too', async (t) => {
  const { url, owner, agent, headers, path, runs } = await open()
  const token = `Authorization: Bearer ${owner.token}\r\n`
  const expecting = 'Host: x\r\nExpect: foo\r\n'
  const refused: [string, string][] = [
    ['Host', `DELETE /agents/${agent.id} HTTP/1.1\r\n${token}\r\n`],
    ['Expect', `DELETE /agents/${agent.id} HTTP/1.1\r\n${expecting}${token}\r\n`],
    [
      'Expect',
      `POST ${path} HTTP/1.1\r\n${expecting}X-Webhook-Secret: ${agent.webhookSecret}\r\nContent-Length: 2\r\n\r\n{}`,
    ],
  ]
  for (const [header, request] of refused) {
    const answer = await ask(url, request)
    t.is(statusIn(answer), 400, request)
    t.regex(answer, /\r\ncontent-type: application\/json/i)
    const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as { error: string }
    t.like(body, { code: 'VALIDATION_ERROR', statusCode: 400, details: [{ path: header, message: body.error }] })
  }
  t.is((await send(url, { path: `/agents/${agent.id}`, headers })).status, 200)
  t.is(await runs(), 0)
  t.is(statusIn(await ask(url, `GET /agents HTTP/1.0\r\n${token}\r\n`)), 200, 'as of old')
})
