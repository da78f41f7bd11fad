import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { Webhook } from 'standardwebhooks'
import * as agents from '../../../api/agents.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { newId } from '../../../src/ids.ts'
import type { WebhookProof } from '../../../src/agents/agent.ts'
import { presets } from '../../../src/webhooks/presets.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer, runOf, timelineOf, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { runsOf } from '../../helpers/runs.ts'
import { nowSeconds, senders, type Signing } from '../../helpers/senders.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

type Headers = Record<string, string>

/** For all tests but those that need limits of their own; each makes agents of its own. */
const open = forWholeFile(test, 'senders', (t) => openSenders(t))
type AgentOf = { id: string; webhookSecret: string | null }

/** A platform, an owner, and agents of hers that are set up for senders as they are. */
async function openSenders(t: ExecutionContext, env: Record<string, string> = {}) {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '1000000', ...env } })
  const someone = await customer(platform, 'team')
  const rotate = (agent: AgentOf, body: { secret?: string; overlapSeconds?: number }) =>
    call(someone, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body })
  /** An agent with the sender's way of proof, and the secret that the sender has made. */
  async function agentFor(proof: WebhookProof, fields: Parameters<typeof webhookAgent>[1] = {}) {
    const agent = await webhookAgent(someone, { webhookProof: proof, ...fields })
    const { body } = await rotate(agent, { secret: senders[proof].secret, overlapSeconds: 0 })
    return { ...agent, ...body, webhookSecret: body.webhookSecret ?? '' }
  }
  const post = (agent: AgentOf, raw: string | Uint8Array, headers: Headers) =>
    call({ url: platform.url }, webhooks.receiveWebhook, { params: { agentId: agent.id }, raw, headers })
  const asSender = (agent: AgentOf, runId: string, headers: Headers) => {
    const request = { params: { agentId: agent.id, runId }, headers }
    const client = { url: platform.url }
    return {
      read: () => call(client, webhooks.getDelivery, request),
      withdraw: () => call(client, webhooks.withdrawDelivery, request),
    }
  }
  return { platform, someone, rotate, agentFor, post, asSender }
}

/** Signs as the sender does, at this moment and with its own secret unless said otherwise. */
const signed = (proof: WebhookProof, signing: Partial<Signing> & { body: string }) =>
  senders[proof].headers({ secret: senders[proof].secret, id: newId(), at: nowSeconds(), ...signing })

/** What can be wrong with a delivery that was right; the test of proofs has all of it. */
async function tampered(proof: WebhookProof, body: string, id: string): Promise<[string, string, Headers][]> {
  const right = await signed(proof, { body, id })
  const { header } = presets[proof]
  const overBody = !['secret', 'gitlab'].includes(proof)
  const forged = await signed(proof, { body, id, secret: `whsec_${'A'.repeat(43)}=` })
  return [
    ['another secret', body, forged],
    [`without ${header}`, body, { ...right, [header]: '' }],
    ...(overBody ? ([['another body', `${body} `, right]] as [string, string, Headers][]) : []),
  ]
}

// @promise proofs
test("each sender's own proof starts one run under the identity it gives, and nothing tampered with does", async (t) => {
  const { someone, agentFor, post } = await open()
  for (const proof of Object.keys(senders) as WebhookProof[]) {
    const agent = await agentFor(proof)
    t.is(agent.webhookProof, proof)
    const id = `delivery-4711-of-${proof}`
    const body = JSON.stringify({ ...senders[proof].bodyOf(id), number: 1 })
    for (const [what, raw, headers] of await tampered(proof, body, id)) {
      const { failure } = await post(agent, raw, headers)
      t.is(failure.code, 'WEBHOOK_SECRET_INVALID', `${proof}, ${what}: ${failure.error}`)
      t.false(failure.error.includes(agent.webhookSecret))
    }
    t.deepEqual(await runsOf(someone, agent), [], `${proof}: nothing was started`)

    const first = await post(agent, body, await signed(proof, { body, id }))
    t.is(first.status, 202, proof)
    const again = await post(agent, body, await signed(proof, { body, id }))
    t.deepEqual(again.body, first.body, `${proof}: the same delivery`)
    const next = senders[proof].bodyOf('another')
    t.is(
      (await post(agent, JSON.stringify(next), await signed(proof, { body: JSON.stringify(next), id: 'another' }))).body
        .sequence,
      2,
    )
    t.is((await runsOf(someone, agent)).length, 2, proof)
  }
})

/** Where senders put the identity of a delivery that is not in its body. */
const places = {
  github: 'X-GitHub-Delivery',
  gitlab: 'Idempotency-Key',
  shopify: 'X-Shopify-Webhook-Id',
  'standard-webhooks': 'webhook-id',
}

test('an identity inside a signed body is the delivery whatever else the body says; one beside it comes with one body', async (t) => {
  const { someone, agentFor, post } = await open()
  for (const proof of ['stripe', 'slack', 'github', 'gitlab', 'shopify', 'standard-webhooks'] as const) {
    const agent = await agentFor(proof)
    const deliver = async (more: object, headers: Headers = {}) => {
      const body = JSON.stringify({ ...senders[proof].bodyOf('evt_1'), ...more })
      return post(agent, body, { ...(await signed(proof, { body, id: 'evt_1' })), ...headers })
    }
    const first = await deliver({ written: 1 })
    const again = await deliver({ written: 2 }, { 'webhook-extra': 'x' })
    if (proof === 'stripe' || proof === 'slack') {
      t.is(again.body.runId, first.body.runId, proof)
      const keyed = await deliver({ written: 3 }, { 'Idempotency-Key': 'of-somebody-between' })
      t.is(keyed.body.runId, first.body.runId, `${proof}: what is signed goes before what is not`)
    } else {
      t.is(again.failure.code, 'VALIDATION_ERROR', proof)
      t.true(again.failure.error.includes(first.body.runId), proof)
      t.is(again.failure.details?.[0]?.path, places[proof], proof)
    }
    t.is((await runsOf(someone, agent)).length, 1, proof)
  }
})

const shopifyLike = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('X-Shopify-', 'shopify-'), value]))
const svixLike = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]))

test("a sender's other spelling proves as much, is the same delivery, and must be right where both are sent", async (t) => {
  const { someone, agentFor, post } = await open()
  for (const [proof, respell, header] of [
    ['shopify', shopifyLike, 'X-Shopify-Hmac-Sha256'],
    ['standard-webhooks', svixLike, 'webhook-signature'],
  ] as const) {
    const agent = await agentFor(proof)
    const body = '{"id":820982911946154508}'
    const here = { ...(await signed(proof, { body, id: 'b5' })), 'X-Shopify-Topic': 'orders/create' }
    const there = respell(here)
    const first = await post(agent, body, there)
    t.is(first.status, 202, proof)
    for (const headers of [here, { ...here, ...there }])
      t.deepEqual((await post(agent, body, headers)).body, first.body, `${proof}: the same receipt`)
    const accepted = (await timelineOf(someone, first.body.runId))[0]?.data as { headers?: Headers }
    const kept = proof === 'shopify' ? ['X-Shopify-Topic', 'X-Shopify-Webhook-Id'] : ['webhook-id']
    t.deepEqual(Object.keys(accepted.headers ?? {}), kept)
    const wrong = Buffer.alloc(32).toString('base64')
    const bad = proof === 'shopify' ? wrong : `v1,${wrong}`
    for (const headers of [
      { ...here, ...there, [header]: bad },
      { ...here, ...respell({ ...here, [header]: bad }) },
      respell({ ...here, [header]: bad }),
    ]) {
      const { failure } = await post(agent, body, headers)
      t.is(failure.code, 'WEBHOOK_SECRET_INVALID', proof)
    }
    const others = await signed(proof, { body, id: 'another' })
    const both = await post(agent, body, { ...here, ...respell(others) })
    t.regex(both.failure.error, /name different deliveries/, proof)
    t.is((await runsOf(someone, agent)).length, 1)
  }
})

test("GitLab's signature is checked if it is there, and is enough", async (t) => {
  const { someone, rotate, agentFor, post } = await open()
  const agent = await agentFor('gitlab')
  const secret = senders['standard-webhooks'].secret
  await rotate(agent, { secret: ` v1,${secret}\n`, overlapSeconds: 0 })
  const body = '{"object_kind":"push"}'
  const headers = { ...(await signed('standard-webhooks', { body, id: 'g1' })), 'X-Gitlab-Event': 'Push Hook' }
  const first = await post(agent, body, headers)
  t.is(first.status, 202)
  t.like((await timelineOf(someone, first.body.runId))[0]?.data, { headers: { 'X-Gitlab-Event': 'Push Hook' } })
  const token = { 'X-Gitlab-Token': `v1,${secret}` }
  t.is((await post(agent, body, { ...headers, ...token })).body.runId, first.body.runId)
  t.is(
    (await post(agent, body, { ...token, 'Idempotency-Key': 'g2' })).status,
    202,
    'the text that it is, without its ends',
  )
  for (const more of [
    { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` },
    { 'webhook-signature': '' },
  ])
    t.is((await post(agent, body, { ...headers, ...token, ...more })).failure.code, 'WEBHOOK_SECRET_INVALID')
})

test('two hooks of one repository that tell of an event under one id are two deliveries, each with its own receipt', async (t) => {
  const { someone, agentFor, post } = await open()
  const agent = await agentFor('github')
  const deliver = async (hook: string, body = '{"action":"opened"}') =>
    post(agent, body, { ...(await signed('github', { body, id: 'guid' })), 'X-GitHub-Hook-ID': hook })
  const [one, other] = [await deliver('1'), await deliver('2', '{"action":"opened","hook":2}')]
  t.not(one.body.runId, other.body.runId)
  t.is((await deliver('1')).body.runId, one.body.runId)
  t.is((await deliver('2', '{"action":"opened","hook":2}')).body.runId, other.body.runId)
  t.is((await runsOf(someone, agent)).length, 2)
})

test('a body is inflated by any spelling of its coding, and a signature is over the plain bytes', async (t) => {
  const { agentFor, post, platform } = await open()
  const agent = await agentFor('github')
  const body = '{"action":"opened"}'
  const packed = gzipSync(body)
  for (const [index, coding] of [
    'GZIP',
    'Gzip',
    'x-gzip',
    'X-GZip',
    'gzip, identity',
    'identity , gzip',
    'gzip,',
  ].entries()) {
    const headers = { ...(await signed('github', { body, id: `e${index}` })), 'Content-Encoding': coding }
    t.is((await post(agent, packed, headers)).status, 202, coding)
  }
  for (const [index, coding] of ['UTF-8', 'zstd', 'gzip, br', 'none'].entries()) {
    const headers = { ...(await signed('github', { body, id: `f${index}` })), 'Content-Encoding': coding }
    const answer = await post(agent, packed, headers)
    t.true(answer.failure.error.includes(`Content-Encoding is "${coding}"`), answer.failure.error)
    t.is(answer.headers.get('accept-encoding'), 'gzip, deflate, br, identity')
  }
  for (const type of [
    'Application/JSON',
    'application/json ;charset="UTF-8"',
    'text/json',
    'application/json, application/json',
    'application/vnd.x.v3+json',
  ]) {
    const headers = { ...(await signed('github', { body, id: type.replaceAll(' ', '') })), 'content-type': type }
    t.is((await post(agent, body, headers)).status, 202, type)
  }
  const wide = Buffer.from(body, 'utf16le')
  const other = {
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', senders.github.secret).update(wide).digest('hex')}`,
    'content-type': 'application/json; charset=utf-16',
  }
  t.regex((await post(agent, wide, other)).failure.error, /charset "utf-16", and JSON is UTF-8/)
  const login = { email: 'nobody@example.com', password: 'not-a-password-of-anybody' }
  const answer = await fetch(`${platform.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'X-GZIP' },
    body: gzipSync(JSON.stringify(login)),
  })
  t.is(answer.status, 401, 'bodies of the API, too')
})

test('a conflict of identities names where the identity of the later delivery stands', async (t) => {
  const { agentFor, post } = await open()
  const stripe = await agentFor('stripe')
  const deliver = async (fields: object, headers: Headers) => {
    const body = JSON.stringify(fields)
    return (await post(stripe, body, { ...(await signed('stripe', { body })), ...headers })).failure
  }
  await post(stripe, '{}', { ...(await signed('stripe', { body: '{}' })), 'Idempotency-Key': 'one' })
  t.like(await deliver({ id: 'one' }, {}), { code: 'VALIDATION_ERROR', details: [{ path: 'id' }] })
  t.like(await deliver({ more: 1 }, { 'webhook-id': 'one' }), { details: [{ path: 'webhook-id' }] })
  t.like(await deliver({ more: 1 }, { 'Idempotency-Key': 'one' }), { details: [{ path: 'Idempotency-Key' }] })
})

test('without the identity that its sender gives, a delivery has that of Idempotency-Key; and one that is none is refused', async (t) => {
  const { agentFor, post } = await open()
  const stripe = await agentFor('stripe')
  const deliver = async (fields: object, headers: Headers) => {
    const body = JSON.stringify(fields)
    return post(stripe, body, { ...(await signed('stripe', { body })), ...headers })
  }
  const first = await deliver({ object: 'event' }, { 'Idempotency-Key': 'one' })
  t.is((await deliver({ object: 'event' }, { 'Idempotency-Key': 'one' })).body.runId, first.body.runId)
  t.is((await deliver({ object: 'event', id: 7 }, {})).body.sequence, 2, 'an identity that is no text')
  for (const id of ['', 'two words', 'x'.repeat(256)]) {
    const { failure } = await deliver({ id }, {})
    t.is(failure.code, 'VALIDATION_ERROR')
    t.is(failure.details?.[0]?.path, 'id')
  }
  const github = await agentFor('github')
  const { failure } = await post(github, '{}', await signed('github', { body: '{}', id: 'two words' }))
  t.is(failure.details?.[0]?.path, 'X-GitHub-Delivery')
})

// @promise proofs
test("Slack's question whether the address is right is answered when it is signed, and starts no run", async (t) => {
  const { someone, agentFor, post } = await open()
  const schema = [{ name: 'event', type: 'object' as const }]
  const agent = await agentFor('slack', { webhookSchema: schema })
  const body = JSON.stringify({
    token: 'x',
    challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    type: 'url_verification',
  })
  const headers = await signed('slack', { body })
  const answer = await post(agent, body, headers)
  t.is(answer.status, 200)
  t.deepEqual(answer.body as unknown, { challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' })
  t.is((await post(agent, `${body} `, headers)).failure.code, 'WEBHOOK_SECRET_INVALID')
  const odd = '{"type":"url_verification","challenge":{"a":1}}'
  t.is((await post(agent, odd, await signed('slack', { body: odd }))).failure.code, 'VALIDATION_ERROR')
  t.deepEqual(await runsOf(someone, agent), [])

  const github = await agentFor('github')
  t.is((await post(github, body, await signed('github', { body }))).status, 202, 'to others it is a payload')
})

// @promise proofs
test('a signature that comes beside the secret must be right too', async (t) => {
  const { someone, agentFor, post } = await open()
  const agent = await webhookAgent(someone)
  const body = '{"number":1}'
  const secret = { 'X-Webhook-Secret': agent.webhookSecret }
  const right = await signed('standard-webhooks', { body, secret: agent.webhookSecret, id: 'one' })
  const code = async (headers: Headers) => (await post(agent, body, headers)).failure.code
  t.is(await code(right), 'WEBHOOK_SECRET_INVALID', 'it does not take the place of the secret')
  t.is(await code({ ...right, 'X-Webhook-Secret': 'wrong' }), 'WEBHOOK_SECRET_INVALID')
  const wrong = ['webhook-signature', 'webhook-id', 'webhook-timestamp'].map((name) => ({ ...right, [name]: '1' }))
  for (const headers of wrong) t.is(await code({ ...headers, ...secret }), 'WEBHOOK_SECRET_INVALID')
  t.is(await code({ ...secret, 'webhook-signature': right['webhook-signature'] ?? '' }), 'WEBHOOK_SECRET_INVALID')
  const sentence = async (headers: Headers) => (await post(agent, body, headers)).failure.error
  const beside = 'a signature that is sent beside the secret must also be valid.'
  const empty = { ...secret, 'webhook-signature': '' }
  t.is(await sentence(empty), `The header webhook-id is missing; ${beside}`)
  t.is(await sentence({ ...right, ...empty }), `The header webhook-signature does not match; ${beside}`)
  const own = 'this agent requires it as proof.'
  t.is(await sentence(right), `The header X-Webhook-Secret is missing; ${own}`)
  t.is((await post(agent, body, { ...right, ...secret })).status, 202)
  t.is((await post(agent, body, { ...secret, 'webhook-id': 'two' })).status, 202, 'an identity alone is no signature')

  const odd = await agentFor('secret')
  const unkeyed = { ...right, 'X-Webhook-Secret': odd.webhookSecret }
  t.is((await post(odd, body, unkeyed)).failure.code, 'WEBHOOK_SECRET_INVALID', 'a secret that is no key signs nothing')
})

// @promise proofs
test('after a rotation both secrets are good until the overlap ends, and the one before them is not', async (t) => {
  const { platform, someone, rotate, post } = await open()
  const { agents: kept, sealing } = platform.services
  const agent = await webhookAgent(someone, { webhookProof: 'standard-webhooks' })
  const accepted = async (secret: string) => {
    const headers = await signed('standard-webhooks', { body: '{}', secret })
    return (await post(agent, '{}', headers)).status === 202
  }
  const row = () => platform.services.database('agents').where({ id: agent.id }).first()
  const first = agent.webhookSecret
  t.is(agent.previousWebhookSecretUntil, null)

  const before = Date.now()
  const rotated = (await rotate(agent, {})).body
  const second = rotated.webhookSecret ?? ''
  t.regex(second, /^whsec_/)
  t.not(second, first)
  t.is(Math.round((Date.parse(rotated.previousWebhookSecretUntil ?? '') - before) / 60_000), 24 * 60, 'a day')
  t.deepEqual([await accepted(first), await accepted(second)], [true, true])
  t.is(
    sealing.open((await row()).previousWebhookSecret, {
      id: agent.id,
      column: 'agents.previous_webhook_secret',
    }),
    first,
  )

  const third = (await rotate(agent, { overlapSeconds: 60 })).body.webhookSecret ?? ''
  t.deepEqual([await accepted(first), await accepted(second), await accepted(third)], [false, true, true])
  await kept.forgetFormerSecrets()
  t.true(await accepted(second), 'its time is not over')

  const fourth = (await rotate(agent, { overlapSeconds: 2 })).body.webhookSecret ?? ''
  t.true(await accepted(third))
  await eventually(10, 'the overlap ends', async () => ((await accepted(third)) ? undefined : true))
  t.truthy((await row()).previousWebhookSecret, 'refused before anybody has erased it')
  const shown = (await call(someone, agents.getAgent, { params: { agentId: agent.id } })).body
  t.is(shown.previousWebhookSecretUntil, null)
  await kept.forgetFormerSecrets()
  t.like(await row(), { previousWebhookSecret: null, previousWebhookSecretUntil: null })

  const fifth = (await rotate(agent, { overlapSeconds: 0 })).body.webhookSecret ?? ''
  t.deepEqual([await accepted(fourth), await accepted(fifth)], [false, true])
})

test("a secret of the sender's own must do for the agent's way of proof", async (t) => {
  const { someone, rotate, post } = await open()
  const agent = await webhookAgent(someone)
  const change = (webhookProof: WebhookProof) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { webhookProof } })
  await rotate(agent, { secret: senders.github.secret })
  const { failure } = await change('standard-webhooks')
  t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'webhookProof' }] })
  t.regex(failure.error, /Rotate it first/)
  t.is((await change('github')).body.webhookProof, 'github')

  const bare = Buffer.alloc(24, 9).toString('base64')
  await rotate(agent, { secret: bare })
  t.is((await change('standard-webhooks')).body.webhookSecret, bare)
  t.is((await post(agent, '{}', await signed('standard-webhooks', { body: '{}', secret: bare }))).status, 202)
  const bad = [
    senders.github.secret,
    Buffer.alloc(23).toString('base64'),
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ]
  for (const secret of bad) {
    const refused = (await rotate(agent, { secret })).failure
    t.like(refused, { code: 'VALIDATION_ERROR', details: [{ path: 'secret' }] })
    t.false(JSON.stringify(refused).includes(secret))
  }
  for (const body of [{ secret: 'x'.repeat(15) }, { secret: 'x'.repeat(256) }, { secret: 'with a blank in it!' }])
    t.is((await rotate(agent, body)).failure.code, 'VALIDATION_ERROR')
  for (const overlapSeconds of [-1, 1.5, 604_801])
    t.is((await rotate(agent, { overlapSeconds })).failure.code, 'VALIDATION_ERROR')
})

// @promise senders
test('a sender reads and withdraws its deliveries by the secret, whatever proof they have', async (t) => {
  const { someone, platform, agentFor, rotate, post, asSender } = await open()
  const agent = await agentFor('github')
  const push = async (number: number) => {
    const body = JSON.stringify({ number })
    return (await post(agent, body, await signed('github', { body, id: `delivery-${number}` }))).body
  }
  const [first, second, third] = [await push(1), await push(2), await push(3)]
  const secret = { 'X-Webhook-Secret': senders.github.secret }
  const sender = (runId: string, headers: Headers = secret) => asSender(agent, runId, headers)

  const withdrawn = await sender(second.runId).withdraw()
  t.deepEqual([withdrawn.status, withdrawn.body], [200, { ...second, status: 'cancelled' }])
  t.like(await runOf(someone, second.runId), { status: 'cancelled', reason: 'WITHDRAWN' })
  t.like((await sender(third.runId).read()).body, { status: 'queued', ahead: 1 })
  t.is((await sender(second.runId).withdraw()).failure.code, 'RUN_NOT_CANCELLABLE')
  t.like(await push(2), { runId: second.runId, status: 'cancelled' }, 'sent again, it stays withdrawn')

  await platform.services.runs.queue.claimNext(agent.id)
  t.is((await sender(first.runId).withdraw()).failure.code, 'RUN_NOT_CANCELLABLE', 'it was started')
  t.is((await runOf(someone, first.runId)).cancelRequestedAt, null)
  const other = await agentFor('github')
  t.is((await asSender(other, third.runId, secret).withdraw()).failure.code, 'RUN_NOT_FOUND')
  t.is((await sender(newId()).withdraw()).failure.code, 'RUN_NOT_FOUND')

  const signature = await signed('github', { body: '{}' })
  for (const headers of [{}, signature, { 'X-Webhook-Secret': 'wrong' }])
    for (const ask of [sender(third.runId, headers).read, sender(third.runId, headers).withdraw])
      t.is((await ask()).failure.code, 'WEBHOOK_SECRET_INVALID')
  const { webhookSecret } = (await rotate(agent, { overlapSeconds: 60 })).body
  t.is((await sender(third.runId).read()).status, 200, 'the former secret')
  t.is((await sender(third.runId, { 'X-Webhook-Secret': webhookSecret ?? '' }).withdraw()).status, 200)
})

test('where Standard Webhooks is the proof, a sender reads and withdraws by a signature over nothing, too', async (t) => {
  const { someone, post, asSender } = await open()
  const agent = await webhookAgent(someone, { webhookProof: 'standard-webhooks' })
  const secret = agent.webhookSecret
  const { runId } = (await post(agent, '{}', await signed('standard-webhooks', { body: '{}', secret }))).body
  const toRead = await signed('standard-webhooks', { id: `get-${runId}`, body: '', secret })
  t.notThrows(() => new Webhook(secret).verify('', toRead), 'as its library sees it')
  t.is((await asSender(agent, runId, toRead).read()).status, 200)
  const id = `delete-${runId}`
  const over = await signed('standard-webhooks', { id, body: '{}', secret })
  const old = await signed('standard-webhooks', { id, body: '', secret, at: nowSeconds() - 301 })
  const right = await signed('standard-webhooks', { id, body: '', secret })
  const ofAnother = await signed('standard-webhooks', { id: `delete-${newId()}`, body: '', secret })
  for (const headers of [over, old, toRead, ofAnother, {}])
    t.is((await asSender(agent, runId, headers).withdraw()).failure.code, 'WEBHOOK_SECRET_INVALID')
  t.is((await asSender(agent, runId, { 'X-Webhook-Secret': secret }).read()).status, 200)
  t.is((await asSender(agent, runId, right).withdraw()).body.status, 'cancelled')
})

// @promise senders
test('limits say when to come again; the rate is counted after the proof, the failed proofs by address', async (t) => {
  const { someone, agentFor, platform, post } = await openSenders(t, {
    RATE_LIMIT_WEBHOOK_PER_MINUTE: '5',
    RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '8',
    QUEUE_DEPTH: '2',
  })
  const deliver = async (agent: AgentOf, id: string, body = '{}') =>
    post(agent, body, await signed('github', { body, id }))
  const seconds = ({ headers }: { headers: globalThis.Headers }) => Number(headers.get('retry-after'))

  const often = await agentFor('github')
  const wrong = { ...(await signed('github', { body: '{}' })), 'X-Hub-Signature-256': 'sha256=00' }
  for (let left = 6; left > 0; left -= 1) t.is((await post(often, '{}', wrong)).status, 401)
  for (let left = 5; left > 0; left -= 1) t.is((await deliver(often, 'same')).status, 202, 'it was not counted')
  const tooMany = await deliver(often, 'same')
  t.is(tooMany.failure.code, 'RATE_LIMITED')
  t.true(seconds(tooMany) >= 1 && seconds(tooMany) <= 60)

  const deep = await agentFor('github')
  for (const id of ['one', 'two']) t.is((await deliver(deep, id)).status, 202)
  const full = await deliver(deep, 'three')
  t.is(full.failure.code, 'RATE_LIMITED')
  t.regex(full.failure.error, /2 unfinished runs/)
  t.is(seconds(full), 60)
  t.is((await runsOf(someone, deep)).length, 2)

  // Before its body is looked into, a delivery is judged by what its owner pays.
  const poor = await agentFor('github')
  await platform.services.database('accounts').update({ tier: 'free', currentPeriodEnd: null })
  t.is((await deliver(poor, 'one', '{"broken')).failure.code, 'TIER_REQUIRED')
  t.is((await post(poor, '{"broken', wrong)).failure.code, 'WEBHOOK_SECRET_INVALID')
  t.is((await post(poor, '{}', wrong)).failure.code, 'WEBHOOK_SECRET_INVALID')
  const guessed = await post(poor, '{}', wrong)
  t.is(guessed.failure.code, 'RATE_LIMITED')
  t.true(seconds(guessed) >= 1 && seconds(guessed) <= 60)
})
