import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as webhooks from '../../api/webhooks.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { runsOf } from '../helpers/runs.ts'
import { nowSeconds, senders } from '../helpers/senders.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { ask, send } from './raw-http.ts'

/**
 * The attacks on a webhook's address that are to be held off, one by one. The deliveries are signed by Standard Webhooks,
 * for which the body has to be read before anything is proven.
 */

interface Given {
  raw?: string | Uint8Array
  /** What is signed, where that is not what is sent. */
  over?: string
  id?: string
  at?: number
  headers?: Record<string, string>
}

const open = forWholeFile(test, 'the battery of webhooks', async (t) => {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '1000000' } })
  return { platform, someone: await customer(platform, 'team') }
})

async function openSigned(t: ExecutionContext) {
  const { platform, someone } = await open()
  const agent = await webhookAgent(someone, { webhookProof: 'standard-webhooks' })
  const sign = (body: string, { id = newId(), at = nowSeconds() }: Given = {}) =>
    senders['standard-webhooks'].headers({ secret: agent.webhookSecret, body, id, at })
  const post = async (given: Given) => {
    const { raw = '{"number":1}', over = typeof raw === 'string' ? raw : '', headers } = given
    const all = { ...(await sign(over, given)), ...headers }
    return call({ url: platform.url }, webhooks.receiveWebhook, { params: { agentId: agent.id }, raw, headers: all })
  }
  const refused = async (given: Given, code = 'WEBHOOK_SECRET_INVALID') => {
    const answer = await post(given)
    t.is(answer.status < 400 ? 'accepted' : answer.failure.code, code, JSON.stringify(given).slice(0, 100))
  }
  const accepted = async () => (await runsOf(someone, agent)).length
  /** The head of a request by hand; what follows it is the test's. */
  const head = async (over: string, ...more: string[]) => {
    const named = Object.entries(await sign(over)).map(([name, value]) => `${name}: ${value}`)
    const first = [`POST /api/webhooks/agent/${agent.id} HTTP/1.1`, 'Host: x', 'Connection: close']
    return [...first, 'Content-Type: application/json', ...named, ...more, '\r\n'].join('\r\n')
  }
  return { platform, someone, agent, sign, post, refused, accepted, head, limit: platform.config.bodies.webhookBytes }
}

test('no signature, a wrong one, one that is cut off, and one over another body are refused', async (t) => {
  const { agent, platform, sign, post, refused, accepted } = await openSigned(t)
  const bare = await call(platform, webhooks.receiveWebhook, { params: { agentId: agent.id }, raw: '{"number":1}' })
  t.is(bare.failure.code, 'WEBHOOK_SECRET_INVALID')
  const { 'webhook-signature': right = '' } = await sign('{"number":1}')
  await refused({ headers: { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` } })
  for (const cut of [right.slice(0, 20), right.slice(0, -1), 'v1,', 'v1', ''])
    await refused({ headers: { 'webhook-signature': cut } })
  await refused({ over: '{"number":2}' })
  await refused({ over: '' })
  await refused({ at: nowSeconds() - 301 })
  t.is(await accepted(), 0)
  t.is((await post({})).status, 202)
})

// @promise repeats
test('a delivery that is replayed is the same delivery, also with a fresh signature', async (t) => {
  const { post, accepted } = await openSigned(t)
  const first = await post({ id: 'msg_1' })
  for (const at of [nowSeconds(), nowSeconds() - 60]) t.deepEqual((await post({ id: 'msg_1', at })).body, first.body)
  t.is(await accepted(), 1)
})

test('one identity with another body starts nothing, and the conflict is named', async (t) => {
  const { post, accepted } = await openSigned(t)
  const { runId } = (await post({ id: 'msg_1' })).body
  const { failure } = await post({ id: 'msg_1', raw: '{"number":2}' })
  t.is(failure.code, 'VALIDATION_ERROR')
  t.true(failure.error.includes(runId))
  t.is(await accepted(), 1)
})

// An unknown agent has a code of its own; what must not show is whether there once was one.
test('an agent that is unknown, deleted or not started by webhooks is answered alike, whatever is shown', async (t) => {
  const { platform, someone, sign } = await openSigned(t)
  const manual = await agentOf(someone)
  const deleted = await webhookAgent(someone)
  await call(someone, agents.deleteAgent, { params: { agentId: deleted.id } })
  for (const headers of [{}, await sign('{}'), { 'x-webhook-secret': deleted.webhookSecret }]) {
    const answers = [newId(), manual.id, deleted.id].map((agentId) =>
      call(platform, webhooks.receiveWebhook, { params: { agentId }, raw: '{}', headers }),
    )
    const [first, ...others] = (await Promise.all(answers)).map(({ failure }) => failure)
    t.is(first?.code, 'AGENT_NOT_FOUND')
    for (const other of others) t.deepEqual(other, first)
  }
})

test.serial('a sender that waits for 100 Continue is told to go on, and what it sends is judged as ever', async (t) => {
  const { platform, head, accepted, limit } = await openSigned(t)
  const body = '{"number":1}'
  const expecting = (length: number) => ['Expect: 100-continue', `Content-Length: ${length}`]
  const good = await ask(platform.url, await head(body, ...expecting(body.length)), body)
  t.regex(good, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /)
  const wrong = await ask(platform.url, await head('{}', ...expecting(body.length)), body)
  t.regex(wrong, /HTTP\/1\.1 401 [\s\S]*WEBHOOK_SECRET_INVALID/)
  const long = await ask(platform.url, await head(body, ...expecting(limit + 1)))
  t.regex(long, /HTTP\/1\.1 400 /)
  t.is(await accepted(), 1)
})

test('a compressed body is signed as what it inflates to, and a bomb is given up at the limit', async (t) => {
  const { refused, post, limit, accepted } = await openSigned(t)
  const gzip = { 'content-encoding': 'gzip' }
  const body = '{"number":1}'
  t.is((await post({ raw: gzipSync(body), over: body, headers: gzip })).status, 202)
  await refused({ raw: gzipSync(body), over: gzipSync(body).toString('latin1'), headers: gzip })
  await refused({ raw: gzipSync(body).subarray(0, 12), over: body, headers: gzip }, 'VALIDATION_ERROR')
  const bomb = `{"a":"${' '.repeat(4 * limit)}"}`
  await refused({ raw: gzipSync(bomb), over: body, headers: gzip }, 'VALIDATION_ERROR')
  t.is(await accepted(), 1)
})

test('bytes that are no UTF-8 are refused, signed or not', async (t) => {
  const { platform, agent, accepted } = await openSigned(t)
  const body = Buffer.from('{"name":"caf\u00e9"}', 'latin1')
  const [id, at] = [newId(), String(nowSeconds())]
  const key = Buffer.from(agent.webhookSecret.slice('whsec_'.length), 'base64')
  // By hand, because the library signs texts only.
  const sum = (bytes: Buffer) => createHmac('sha256', key).update(`${id}.${at}.`).update(bytes).digest('base64')
  const code = async (bytes: Buffer) => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${sum(bytes)}` }
    const path = `/api/webhooks/agent/${agent.id}`
    const all = { 'content-type': 'application/json', ...headers }
    return (await send(platform.url, { method: 'POST', path, headers: all, body })).code
  }
  t.is(await code(body), 'VALIDATION_ERROR')
  t.is(await code(Buffer.from(body.toString())), 'WEBHOOK_SECRET_INVALID', 'what repairing it would make of it')
  t.is(await accepted(), 0)
})

test.serial('where headers are missing the body is not read, whatever it is', async (t) => {
  const { platform, agent, head } = await openSigned(t)
  const bare = (await head('')).replace(/webhook-signature: .*\r\n/, '')
  // Nothing of the announced body is ever sent: an answer comes because nobody waits for it.
  const request = bare.replace('\r\n\r\n', '\r\nContent-Length: 1000000\r\n\r\n')
  const path = `/api/webhooks/agent/${agent.id}`
  t.regex(await ask(platform.url, request), /HTTP\/1\.1 401 [\s\S]*WEBHOOK_SECRET_INVALID/)
  const headers = { 'content-type': 'text/plain' }
  t.is((await send(platform.url, { method: 'POST', path, headers, body: 'x' })).code, 'WEBHOOK_SECRET_INVALID')
})
