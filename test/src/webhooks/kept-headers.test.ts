// @promise headers
import test, { type ExecutionContext } from 'ava'
import { replayDeliveries } from '../../../api/agent-replays.ts'
import * as runs from '../../../api/runs.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import { webhookProofs, type WebhookProof } from '../../../src/agents/agent.ts'
import { splitFenced } from '../../../src/models/fence.ts'
import { keptHeaders } from '../../../src/webhooks/kept-headers.ts'
import { presets } from '../../../src/webhooks/presets.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { cancel, firstMessage, runsOf, spendAllBut } from '../../helpers/runs.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

/** An agent that takes the proof of this sender, and its deliveries. */
async function agentFor(t: ExecutionContext, proof: WebhookProof, fields: object = {}) {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent({ webhookProof: proof, ...fields })
  const { secret, bodyOf, headers: signWith } = senders[proof]
  await call(owner, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body: { secret } })
  const post = async (id: string, headers: Record<string, string>, more: object = {}) => {
    const body = JSON.stringify({ ...bodyOf(id), ...more })
    const signed = await signWith({ secret, body, id, at: nowSeconds() })
    const request = { params: { agentId: agent.id }, raw: body, headers: { ...signed, ...headers } }
    return call({ url: platform.url }, webhooks.receiveWebhook, request)
  }
  return { platform, owner, agent, post }
}

/** What senders say, as their public documents spell it. */
const said: Partial<Record<WebhookProof, Record<string, string>>> = {
  github: {
    'X-GitHub-Event': 'issues',
    'X-GitHub-Delivery': 'd-1',
    'X-GitHub-Hook-ID': '292430182',
  },
  gitlab: {
    'X-Gitlab-Event': 'Push Hook',
    'X-Gitlab-Instance': 'https://gitlab.com',
  },
  shopify: {
    'X-Shopify-Topic': 'orders/create',
    'X-Shopify-Webhook-Id': 'd-1',
    'X-Shopify-Triggered-At': '2026-11-21T09:00:00.123Z',
  },
  slack: { 'X-Slack-Retry-Num': '1', 'X-Slack-Retry-Reason': 'http_timeout' },
  'standard-webhooks': { 'webhook-id': 'd-1' },
}

test('what a sender says in headers is on the timeline and, as data, before the model; nothing else of its headers is', async (t) => {
  for (const proof of webhookProofs) {
    const { platform, owner, agent, post } = await agentFor(t, proof)
    const headers = said[proof] ?? {}
    const beside = { cookie: 'secretWord=1', 'x-forwarded-user': 'secretWord', 'x-github-token': 'secretWord' }
    const { runId } = (await post('d-1', { ...headers, ...beside })).body
    const timeline = await owner.timeline(runId)
    t.deepEqual(timeline[0]?.data['headers'], said[proof], proof)
    const message = await firstMessage(platform.services, agent)
    const { words, blocks } = splitFenced(message)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    t.deepEqual(
      blocks.filter(({ kind }) => kind === 'untrusted headers').map(({ text }) => text),
      lines.length > 0 ? [lines.join('\n')] : [],
    )
    for (const line of lines) t.false(words.includes(line))
    for (const text of ['secretWord', senders[proof].secret])
      t.false(JSON.stringify([timeline, message]).includes(text), proof)
  }
})

test('no list of headers to keep has one that proves something', (t) => {
  const provers = Object.values(presets).flatMap(({ header, signature }) => {
    const timestamp = signature?.timestamp
    return [header, ...(typeof timestamp === 'object' && 'header' in timestamp ? [timestamp.header] : [])]
  })
  const names = new Set(provers.map((name) => name.toLowerCase()))
  for (const [proof, { infoHeaders }] of Object.entries(presets))
    for (const name of infoHeaders) {
      t.false(names.has(name.toLowerCase()), `${proof}: ${name}`)
      t.notRegex(name, /signature|hmac|token|secret|authorization|cookie|x-hub/i, proof)
    }
})

test('a header that is too long, empty or not printable is left out, and the delivery is taken', (t) => {
  const kept = (value: string) => keptHeaders(presets.github, (name) => (name === 'X-GitHub-Event' ? value : undefined))
  for (const value of ['Push Hook', 'x'.repeat(255)]) t.deepEqual(kept(value), { 'X-GitHub-Event': value })
  for (const value of ['x'.repeat(256), '', 'tab\there', 'caf\u00e9', '\u0000']) t.is(kept(value), undefined)
})

test('a repeated delivery keeps what the first one said, and so does a replay', async (t) => {
  const { platform, owner, agent, post } = await agentFor(t, 'github')
  const { runId } = (await post('d-1', { 'X-GitHub-Event': 'issues' })).body
  t.is((await post('d-1', { 'X-GitHub-Event': 'push' })).body.runId, runId)
  await cancel(owner, runId)
  const { body } = await call(owner, runs.replayRun, { params: { runId } })
  await cancel(owner, body.id)
  await platform.services.database('runs').where({ id: body.id }).update({ status: 'failed', reason: 'MODEL_ERROR' })
  await call(owner, replayDeliveries, { params: { agentId: agent.id }, body: {} })
  const last = (await runsOf(owner, agent)).at(-1)
  t.is(last?.replayOf, body.id)
  const headers = { 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': 'd-1' }
  for (const id of [runId, body.id, last?.id ?? ''])
    t.deepEqual((await owner.timeline(id))[0]?.data['headers'], headers)
})

test("GitHub's ping is answered when it is signed, and starts no run, whatever the schema and the credits", async (t) => {
  const { platform, owner, agent, post } = await agentFor(t, 'github', {
    webhookSchema: [{ name: 'issue', type: 'object' }],
  })
  const ping = { 'X-GitHub-Event': 'ping' }
  const pong = await post('d-1', ping, { zen: 'Keep it logically awesome.', hook_id: 1 })
  t.deepEqual([pong.status, pong.body as unknown], [200, { pong: true }])
  const forged = await post('d-1', { ...ping, 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` })
  t.is(forged.failure.code, 'WEBHOOK_SECRET_INVALID')
  t.deepEqual(await runsOf(owner, agent), [])

  const { runId } = (await post('d-1', {}, { issue: {} })).body
  t.truthy(runId, 'the ping has not used up its identity')
  await spendAllBut(platform, runId, 0)
  t.is((await post('d-2', ping)).status, 200, 'it costs nothing')
  t.is((await post('d-3', { 'X-GitHub-Event': 'Ping' }, { issue: {} })).failure.code, 'NO_CREDITS', 'no ping')
  const other = await agentFor(t, 'secret')
  t.is((await other.post('d-4', ping)).status, 202, 'only its own sender pings')
})
