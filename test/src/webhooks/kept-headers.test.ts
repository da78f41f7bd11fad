// @promise headers
import test from 'ava'
import * as runs from '../../../api/runs.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { webhookProofs, type WebhookProof } from '../../../src/agents/agent.ts'
import { splitFenced } from '../../../src/models/fence.ts'
import { keptHeaders } from '../../../src/webhooks/kept-headers.ts'
import { presets } from '../../../src/webhooks/presets.ts'
import { call } from '../../helpers/client.ts'
import { customer, deliver, timelineOf, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, firstMessage, runsOf, spendAllBut } from '../../helpers/runs.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'kept headers', (t) => startPlatform(t))

/** An agent that takes the proof of this sender, and its deliveries. */
async function agentFor(proof: WebhookProof, fields: Parameters<typeof webhookAgent>[1] = {}) {
  const platform = await open()
  const someone = await customer(platform, 'team')
  const agent = await webhookAgent(someone, { webhookProof: proof, ...fields })
  const { secret } = senders[proof]
  await call(someone, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body: { secret } })
  const post = async (id: string, headers: Record<string, string>, more: object = {}) => {
    const body = JSON.stringify({ ...senders[proof].bodyOf(id), ...more })
    const signed = await senders[proof].headers({ secret, body, id, at: nowSeconds() })
    const params = { agentId: agent.id }
    return call({ url: platform.url }, webhooks.receiveWebhook, {
      params,
      raw: body,
      headers: { ...signed, ...headers },
    })
  }
  return { platform, someone, agent, post }
}

/** What senders say, as their public documents spell it, and what is on no list. */
const said: Partial<Record<WebhookProof, Record<string, string>>> = {
  github: {
    'X-GitHub-Event': 'issues',
    'X-GitHub-Delivery': 'd-1',
    'X-GitHub-Hook-ID': '292430182',
    'X-GitHub-Hook-Installation-Target-Type': 'repository',
    'X-GitHub-Hook-Installation-Target-ID': '79929171',
  },
  gitlab: {
    'X-Gitlab-Event': 'Push Hook',
    'X-Gitlab-Event-UUID': '13792a34-cac6-4fda-95a8-c58e00a3954e',
    'X-Gitlab-Webhook-UUID': '02affd2d-2cba-4033-917d-ec22d5dc4b38',
    'X-Gitlab-Instance': 'https://gitlab.com',
  },
  shopify: {
    'X-Shopify-Topic': 'orders/create',
    'X-Shopify-Shop-Domain': 'example.myshopify.com',
    'X-Shopify-API-Version': '2026-10',
    'X-Shopify-Webhook-Id': 'd-1',
    'X-Shopify-Event-Id': '98880550-7158-44d4-b7cd-2c97c8a091b5',
    'X-Shopify-Triggered-At': '2026-11-21T09:00:00.123Z',
  },
  slack: { 'X-Slack-Retry-Num': '1', 'X-Slack-Retry-Reason': 'http_timeout' },
  'standard-webhooks': { 'webhook-id': 'd-1' },
}

test('what a sender says in headers is on the timeline and, as data, before the model; nothing else of its headers is', async (t) => {
  for (const proof of webhookProofs) {
    const { platform, someone, agent, post } = await agentFor(proof)
    const headers = said[proof] ?? {}
    const beside = { cookie: 'secretWord=1', 'x-forwarded-user': 'secretWord', 'x-github-token': 'secretWord' }
    const { runId } = (await post('d-1', { ...headers, ...beside })).body
    const timeline = await timelineOf(someone, runId)
    t.deepEqual(timeline[0]?.data['headers'], said[proof], proof)
    const message = await firstMessage(platform.services, agent)
    const { words, blocks } = splitFenced(message)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    t.deepEqual(
      blocks.filter(({ kind }) => kind === 'untrusted headers').map(({ text }) => text),
      lines.length > 0 ? [lines.join('\n')] : [],
    )
    for (const line of lines) t.false(words.includes(line))
    t.false(JSON.stringify([timeline, message]).includes('secretWord'), proof)
    t.false(JSON.stringify([timeline, message]).includes(senders[proof].secret), proof)
  }
})

test('no list of headers to keep has one that proves something', (t) => {
  const provers = Object.values(presets).flatMap(({ header, signature }) => [header, signature?.timestamp])
  const names = new Set(
    provers.flatMap((one) => (typeof one === 'string' ? one : one && 'header' in one ? one.header : [])),
  )
  for (const [proof, { says }] of Object.entries(presets))
    for (const name of says) {
      t.false(
        [...names].some((one) => one.toLowerCase() === name.toLowerCase()),
        `${proof}: ${name}`,
      )
      t.notRegex(name, /signature|hmac|token|secret|authorization|cookie|x-hub/i, proof)
    }
})

test('a header that is too long, empty or not printable is left out, and the delivery is taken', (t) => {
  const values: [string, boolean][] = [
    ['push', true],
    ['Push Hook', true],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['', false],
    ['tab\there', false],
    ['caf\u00e9', false],
    ['\u0000', false],
  ]
  for (const [value, isKept] of values) {
    const kept = keptHeaders(presets.github, (name) => (name === 'X-GitHub-Event' ? value : undefined))
    t.deepEqual(kept, isKept ? { 'X-GitHub-Event': value } : undefined, JSON.stringify(value))
  }
})

test('a repeated delivery keeps what the first one said, and so does a replay', async (t) => {
  const { someone, post } = await agentFor('github')
  const { runId } = (await post('d-1', { 'X-GitHub-Event': 'issues' })).body
  t.is((await post('d-1', { 'X-GitHub-Event': 'push' })).body.runId, runId)
  await cancel(someone, runId)
  const { body } = await call(someone, runs.replayRun, { params: { runId } })
  for (const id of [runId, body.id])
    t.deepEqual((await timelineOf(someone, id))[0]?.data['headers'], {
      'X-GitHub-Event': 'issues',
      'X-GitHub-Delivery': 'd-1',
    })
})

test("GitHub's ping is answered when it is signed, and starts no run, whatever the schema and the credits", async (t) => {
  const webhookSchema = [{ name: 'issue', type: 'object' as const }]
  const { platform, someone, agent, post } = await agentFor('github', { webhookSchema })
  const ping = { 'X-GitHub-Event': 'ping' }
  const pong = await post('d-1', ping, { zen: 'Keep it logically awesome.', hook_id: 1 })
  t.is(pong.status, 200)
  t.deepEqual(pong.body as unknown, { pong: true })
  const forged = await post('d-1', { ...ping, 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` })
  t.is(forged.failure.code, 'WEBHOOK_SECRET_INVALID')
  t.deepEqual(await runsOf(someone, agent), [])

  const { runId } = (await post('d-1', {}, { issue: {} })).body
  t.truthy(runId, 'the ping has not used up its identity')
  await spendAllBut(platform, runId, 0)
  t.is((await post('d-2', ping)).status, 200, 'it costs nothing')
  t.is((await post('d-3', { 'X-GitHub-Event': 'Ping' }, { issue: {} })).failure.code, 'NO_CREDITS', 'no ping')
})

test('a ping is one only of the sender that pings', async (t) => {
  const { someone, agent } = await agentFor('secret')
  const delivered = await deliver(
    someone,
    { ...agent, webhookSecret: senders.secret.secret },
    {},
    {
      'X-GitHub-Event': 'ping',
    },
  )
  t.is(delivered.status, 202)
})
