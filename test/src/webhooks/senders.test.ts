// @promise proofs senders
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { Webhook } from 'standardwebhooks'
import * as agents from '../../../api/agents.ts'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import * as webhooks from '../../../api/webhooks.ts'
import { newId } from '../../../src/ids.ts'
import type { WebhookProof } from '../../../src/agents/agent.ts'
import { ask, send } from '../../api/raw-http.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { runsOf } from '../../helpers/runs.ts'
import { nowSeconds, senders, type Signing } from '../../helpers/senders.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

type Headers = Record<string, string>
type AgentOf = { id: string; webhookSecret: string | null }

const idle = sharedPlatform(test, 'idle')

/** For all tests but the one that needs limits of its own. */
const open = forWholeFile(test, 'senders', async (t) => openSenders(t, await idle()))

/** An owner, and agents of hers that are set up for senders as they are. */
async function openSenders(t: ExecutionContext, platform: Platform) {
  const owner = await newOwner(t, platform, 'team')
  const rotate = (agent: AgentOf, body: { secret?: string; overlapSeconds?: number }) =>
    call(owner, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body })
  /** An agent with the sender's way of proof, and the secret that the sender has made. */
  async function agentFor(proof: WebhookProof, fields: object = {}) {
    const agent = await owner.webhookAgent({ webhookProof: proof, ...fields })
    const { body } = await rotate(agent, { secret: senders[proof].secret, overlapSeconds: 0 })
    return { ...agent, ...body, webhookSecret: body.webhookSecret ?? '' }
  }
  const post = (agent: AgentOf, raw: string | Uint8Array, headers: Headers) =>
    call({ url: platform.url }, webhooks.receiveWebhook, { params: { agentId: agent.id }, raw, headers })
  /** Posts what the sender signs. */
  const deliver = async (agent: AgentOf, proof: WebhookProof, body: string, id?: string, headers: Headers = {}) =>
    post(agent, body, { ...(await signed(proof, { body, ...(id !== undefined && { id }) })), ...headers })
  const asSender = (agent: AgentOf, runId: string, headers: Headers) => {
    const request = { params: { agentId: agent.id, runId }, headers }
    return {
      read: () => call({ url: platform.url }, webhooks.getDelivery, request),
      withdraw: () => call({ url: platform.url }, webhooks.withdrawDelivery, request),
    }
  }
  const runs = async (agent: AgentOf) => (await runsOf(owner, agent)).length
  return { platform, owner, rotate, agentFor, post, deliver, asSender, runs }
}

/** Signs as the sender does, at this moment and with its own secret unless said otherwise. */
const signed = (proof: WebhookProof, signing: Partial<Signing> & { body: string }) =>
  senders[proof].headers({ secret: senders[proof].secret, id: newId(), at: nowSeconds(), ...signing })

const forger = `whsec_${'A'.repeat(43)}=`
/** As GitHub posts unless it is told otherwise. */
const form = 'application/x-www-form-urlencoded'

/** Where senders put the identity of a delivery that is not in its signed body. */
const places: Partial<Record<WebhookProof, string>> = {
  secret: 'Idempotency-Key',
  github: 'X-GitHub-Delivery',
  gitlab: 'Idempotency-Key',
  shopify: 'X-Shopify-Webhook-Id',
  'standard-webhooks': 'webhook-id',
}

test("each sender's own proof starts one run under the identity it gives; nothing forged does, whatever its media type", async (t) => {
  const { platform, agentFor, post, deliver, runs } = await open()
  for (const proof of Object.keys(senders) as WebhookProof[]) {
    const agent = await agentFor(proof)
    const id = `delivery-4711-of-${proof}`
    const write = (more: object, identity = id) => JSON.stringify({ ...senders[proof].bodyOf(identity), ...more })
    const body = write({ number: 1 })
    const right = await signed(proof, { body, id })
    const forged = await signed(proof, { body, id, secret: forger })
    const { failure } = await post(agent, body, forged)
    t.is(failure.code, 'WEBHOOK_SECRET_INVALID', `${proof}: ${failure.error}`)
    t.false(failure.error.includes(agent.webhookSecret))
    const path = `/api/webhooks/agent/${agent.id}`
    for (const type of [{ 'content-type': form }, {}] as Headers[]) {
      const typed = (headers: Headers) =>
        send(platform.url, { method: 'POST', path, headers: { ...headers, ...type }, body })
      t.is((await typed(forged)).code, 'WEBHOOK_SECRET_INVALID', proof)
      t.regex((await typed(right)).text, /Send JSON with \\"Content-Type: application\/json\\"/, proof)
    }
    t.is(await runs(agent), 0, `${proof}: nothing was started`)

    const first = await deliver(agent, proof, body, id)
    t.is(first.status, 202, proof)
    t.deepEqual((await deliver(agent, proof, body, id)).body, first.body, `${proof}: the same delivery`)
    t.is((await deliver(agent, proof, write({}, 'another'), 'another')).body.sequence, 2)
    const other = await deliver(agent, proof, write({ number: 2 }), id)
    const place = places[proof]
    if (place === undefined) {
      t.is(other.body.runId, first.body.runId, `${proof}: the signed identity is the delivery, whatever else is said`)
      const keyed = await deliver(agent, proof, write({ number: 3 }), id, { 'Idempotency-Key': 'of-somebody-between' })
      t.is(keyed.body.runId, first.body.runId, `${proof}: what is signed goes before what is not`)
    } else {
      t.like(other.failure, { code: 'VALIDATION_ERROR', details: [{ path: place }] }, proof)
      t.true(other.failure.error.includes(first.body.runId), proof)
    }
    t.is(await runs(agent), 2, proof)
  }
})

const renamed =
  (from: string, to: string) =>
  (headers: Headers): Headers =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace(from, to), value]))

test("a sender's other spelling proves as much, is the same delivery, and must be right where both are sent", async (t) => {
  const { owner, agentFor, post, runs } = await open()
  const wrong = Buffer.alloc(32).toString('base64')
  for (const [proof, respell, header, bad] of [
    ['shopify', renamed('X-Shopify-', 'shopify-'), 'X-Shopify-Hmac-Sha256', wrong],
    ['standard-webhooks', renamed('webhook-', 'svix-'), 'webhook-signature', `v1,${wrong}`],
  ] as const) {
    const agent = await agentFor(proof)
    const body = '{"id":820982911946154508}'
    const here = { ...(await signed(proof, { body, id: 'b5' })), 'X-Shopify-Topic': 'orders/create' }
    const there = respell(here)
    const first = await post(agent, body, there)
    t.is(first.status, 202, proof)
    for (const headers of [here, { ...here, ...there }])
      t.deepEqual((await post(agent, body, headers)).body, first.body, `${proof}: the same receipt`)
    const accepted = (await owner.timeline(first.body.runId))[0]?.data as { headers?: Headers }
    const kept = proof === 'shopify' ? ['X-Shopify-Topic', 'X-Shopify-Webhook-Id'] : ['webhook-id']
    t.deepEqual(Object.keys(accepted.headers ?? {}), kept)
    const broken = respell({ ...here, [header]: bad })
    for (const headers of [{ ...here, ...there, [header]: bad }, { ...here, ...broken }, broken])
      t.is((await post(agent, body, headers)).failure.code, 'WEBHOOK_SECRET_INVALID', proof)
    const both = await post(agent, body, { ...here, ...respell(await signed(proof, { body, id: 'another' })) })
    t.regex(both.failure.error, /have different values/, proof)
    t.is(await runs(agent), 1)
  }
})

test("GitLab's signature is checked if it is there, and is enough", async (t) => {
  const { rotate, agentFor, post } = await open()
  const agent = await agentFor('gitlab')
  const { secret } = senders['standard-webhooks']
  await rotate(agent, { secret: ` v1,${secret}\n`, overlapSeconds: 0 })
  const body = '{"object_kind":"push"}'
  const headers = await signed('standard-webhooks', { body, id: 'g1' })
  const first = await post(agent, body, headers)
  t.is(first.status, 202)
  const token = { 'X-Gitlab-Token': `v1,${secret}` }
  t.is((await post(agent, body, { ...headers, ...token })).body.runId, first.body.runId)
  t.is((await post(agent, body, { ...token, 'Idempotency-Key': 'g2' })).status, 202, 'the text, without its ends')
  for (const bad of [`v1,${Buffer.alloc(32).toString('base64')}`, '']) {
    const { failure } = await post(agent, body, { ...headers, ...token, 'webhook-signature': bad })
    t.is(failure.code, 'WEBHOOK_SECRET_INVALID')
  }
})

test('two hooks of one repository that tell of an event under one id are two deliveries, each with its own receipt', async (t) => {
  const { agentFor, deliver, runs } = await open()
  const agent = await agentFor('github')
  const tell = (hook: string) => deliver(agent, 'github', `{"hook":${hook}}`, 'guid', { 'X-GitHub-Hook-ID': hook })
  const ids = [(await tell('1')).body.runId, (await tell('2')).body.runId]
  t.deepEqual([(await tell('1')).body.runId, (await tell('2')).body.runId], ids)
  t.is(await runs(agent), 2)
})

test('a body is inflated by any spelling of its coding, and told what it lacks', async (t) => {
  const { platform, agentFor, post } = await open()
  const agent = await agentFor('github')
  const body = '{"action":"opened"}'
  const right = await signed('github', { body })
  const packed = async (coding: string) => post(agent, gzipSync(body), { ...right, 'Content-Encoding': coding })
  for (const coding of ['X-GZip', 'gzip, identity', 'gzip,']) t.is((await packed(coding)).status, 202, coding)
  const { failure, headers } = await packed('gzip, br')
  t.true(failure.error.includes('Content-Encoding is "gzip, br"'), failure.error)
  t.is(headers.get('accept-encoding'), 'gzip, deflate, br, identity')
  for (const type of ['application/json ;charset="UTF-8"', 'text/json', 'application/vnd.x.v3+json'])
    t.is((await post(agent, body, { ...right, 'content-type': type })).status, 202, type)
  const utf16 = 'application/json; charset=utf-16'
  t.regex(
    (await post(agent, body, { ...right, 'content-type': utf16 })).failure.error,
    /charset "utf-16", but JSON must be UTF-8/,
  )

  const { id } = await agentFor('secret')
  const secret = `X-Webhook-Secret: ${senders.secret.secret}`
  const head = [
    `POST /api/webhooks/agent/${id} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    secret,
    `Content-Type: ${form}`,
  ]
  t.regex(await ask(platform.url, `${head.join('\r\n')}\r\n\r\n`), /^HTTP\/1\.1 400 [^]+"The request body is missing\./)
})

test('a conflict names where the identity of the later delivery stands; without its own a delivery has that of Idempotency-Key', async (t) => {
  const { agentFor, deliver } = await open()
  const stripe = await agentFor('stripe')
  const post = (fields: object, headers: Headers = {}) =>
    deliver(stripe, 'stripe', JSON.stringify(fields), undefined, headers)
  const first = await post({}, { 'Idempotency-Key': 'one' })
  t.is((await post({}, { 'Idempotency-Key': 'one' })).body.runId, first.body.runId)
  t.like((await post({ id: 'one' })).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'id' }] })
  for (const header of ['webhook-id', 'Idempotency-Key'])
    t.like((await post({ more: 1 }, { [header]: 'one' })).failure, { details: [{ path: header }] })
  t.is((await post({ id: 7 })).body.sequence, 2, 'an identity that is no text')
  for (const id of ['', 'two words', 'x'.repeat(256)])
    t.like((await post({ id })).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'id' }] })
  const { failure } = await deliver(await agentFor('github'), 'github', '{}', 'two words')
  t.is(failure.details?.[0]?.path, 'X-GitHub-Delivery')
})

test("Slack's question whether the address is right is answered when it is signed, and starts no run", async (t) => {
  const { agentFor, post, deliver, runs } = await open()
  const agent = await agentFor('slack', { webhookSchema: [{ name: 'event', type: 'object' }] })
  const body = JSON.stringify({ token: 'x', challenge: '3eZbrw1a', type: 'url_verification' })
  const headers = await signed('slack', { body })
  const answer = await post(agent, body, headers)
  t.deepEqual([answer.status, answer.body as unknown], [200, { challenge: '3eZbrw1a' }])
  t.is((await post(agent, `${body} `, headers)).failure.code, 'WEBHOOK_SECRET_INVALID')
  const odd = await deliver(agent, 'slack', '{"type":"url_verification","challenge":{"a":1}}')
  t.is(odd.failure.code, 'VALIDATION_ERROR')
  t.is(await runs(agent), 0)
  t.is((await deliver(await agentFor('github'), 'github', body)).status, 202, 'to others it is a payload')
})

test('a signature that comes beside the secret must be right too', async (t) => {
  const { owner, agentFor, post } = await open()
  const agent = await owner.webhookAgent()
  const body = '{"number":1}'
  const secret = { 'X-Webhook-Secret': agent.webhookSecret }
  const right = await signed('standard-webhooks', { body, secret: agent.webhookSecret, id: 'one' })
  const refusal = async (headers: Headers) => {
    const { failure } = await post(agent, body, headers)
    t.is(failure.code, 'WEBHOOK_SECRET_INVALID')
    return failure.error
  }
  t.is(await refusal(right), 'The X-Webhook-Secret header is missing. This agent requires it.')
  for (const name of ['webhook-signature', 'webhook-id', 'webhook-timestamp'])
    await refusal({ ...right, ...secret, [name]: '1' })
  const beside = 'A signature that accompanies the secret must also be valid.'
  const empty = { ...secret, 'webhook-signature': '' }
  t.is(await refusal(empty), `The webhook-id header is missing. ${beside}`)
  t.is((await post(agent, body, { ...right, ...secret })).status, 202)
  t.is((await post(agent, body, { ...secret, 'webhook-id': 'two' })).status, 202, 'an identity alone is no signature')

  const odd = await agentFor('secret')
  const unkeyed = { ...right, 'X-Webhook-Secret': odd.webhookSecret }
  t.is((await post(odd, body, unkeyed)).failure.code, 'WEBHOOK_SECRET_INVALID', 'a secret that is no key signs nothing')
})

test('after a rotation both secrets are good until the overlap ends, and the one before them is not', async (t) => {
  const { platform, owner, rotate, post } = await open()
  const { agents: kept, sealing, database } = platform.services
  const agent = await owner.webhookAgent({ webhookProof: 'standard-webhooks' })
  const accepted = async (secret: string) =>
    (await post(agent, '{}', await signed('standard-webhooks', { body: '{}', secret }))).status === 202
  const row = () => database('agents').where({ id: agent.id })
  const next = async (body = {}) => (await rotate(agent, body)).body
  const first = agent.webhookSecret

  const before = Date.now()
  const rotated = await next()
  const second = rotated.webhookSecret ?? ''
  t.regex(second, /^whsec_/)
  t.not(second, first)
  t.is(Math.round((Date.parse(rotated.previousWebhookSecretUntil ?? '') - before) / 60_000), 24 * 60, 'a day')
  t.deepEqual([await accepted(first), await accepted(second)], [true, true])
  const at = { id: agent.id, column: 'agents.previous_webhook_secret' }
  t.is(sealing.open((await row().first()).previousWebhookSecret, at), first)

  const third = (await next({ overlapSeconds: 60 })).webhookSecret ?? ''
  t.deepEqual([await accepted(first), await accepted(second), await accepted(third)], [false, true, true])
  await kept.forgetFormerSecrets()
  t.true(await accepted(second), 'its time is not over')
  await row().update({ previousWebhookSecretUntil: new Date(Date.now() - 1) })
  t.false(await accepted(second), 'refused before anybody has erased it')
  const shown = (await call(owner, agents.getAgent, { params: { agentId: agent.id } })).body
  t.is(shown.previousWebhookSecretUntil, null)
  await kept.forgetFormerSecrets()
  t.like(await row().first(), { previousWebhookSecret: null, previousWebhookSecretUntil: null })

  const fourth = (await next({ overlapSeconds: 0 })).webhookSecret ?? ''
  t.deepEqual([await accepted(third), await accepted(fourth)], [false, true])
})

test("a secret of the sender's own must do for the agent's way of proof", async (t) => {
  const { owner, rotate, deliver, post } = await open()
  const agent = await owner.webhookAgent()
  const change = (webhookProof: WebhookProof) =>
    call(owner, agents.updateAgent, { params: { agentId: agent.id }, body: { webhookProof } })
  await rotate(agent, { secret: senders.github.secret })
  const { failure } = await change('standard-webhooks')
  t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'webhookProof' }] })
  t.regex(failure.error, /Rotate it first/)
  t.is((await change('github')).body.webhookProof, 'github')
  t.is((await deliver(agent, 'github', '{}')).status, 202)

  const bare = Buffer.alloc(24, 9).toString('base64')
  await rotate(agent, { secret: bare })
  t.is((await change('standard-webhooks')).body.webhookSecret, bare)
  t.is((await post(agent, '{}', await signed('standard-webhooks', { body: '{}', secret: bare }))).status, 202)
  for (const secret of [senders.github.secret, Buffer.alloc(23).toString('base64')]) {
    const refused = (await rotate(agent, { secret })).failure
    t.like(refused, { code: 'VALIDATION_ERROR', details: [{ path: 'secret' }] })
    t.false(JSON.stringify(refused).includes(secret))
  }
})

test('a sender reads and withdraws its deliveries by the secret, whatever proof they have', async (t) => {
  const { owner, platform, agentFor, rotate, deliver, asSender } = await open()
  const agent = await agentFor('github')
  const push = async (number: number) =>
    (await deliver(agent, 'github', JSON.stringify({ number }), `delivery-${number}`)).body
  const [first, second, third] = [await push(1), await push(2), await push(3)]
  const secret = { 'X-Webhook-Secret': senders.github.secret }
  const sender = (runId: string, headers: Headers = secret) => asSender(agent, runId, headers)

  const withdrawn = await sender(second.runId).withdraw()
  t.deepEqual([withdrawn.status, withdrawn.body], [200, { ...second, status: 'cancelled' }])
  t.like(await owner.run(second.runId), { status: 'cancelled', reason: 'WITHDRAWN' })
  const wish = (await owner.timeline(second.runId)).find(({ kind }) => kind === 'cancel.requested')
  t.deepEqual(wish?.data, { by: 'sender' })
  t.like((await sender(third.runId).read()).body, { status: 'queued', ahead: 1 })
  t.is((await sender(second.runId).withdraw()).failure.code, 'RUN_NOT_CANCELLABLE')
  t.like(await push(2), { runId: second.runId, status: 'cancelled' }, 'sent again, it stays withdrawn')

  await platform.services.runs.queue.claimNext(agent.id)
  t.is((await sender(first.runId).withdraw()).failure.code, 'RUN_NOT_CANCELLABLE', 'it was started')
  t.is((await owner.run(first.runId)).cancelRequestedAt, null)
  t.is((await asSender(await agentFor('github'), third.runId, secret).withdraw()).failure.code, 'RUN_NOT_FOUND')

  const byHand = { agentId: agent.id, trigger: 'manual', requestId: 'by-hand' } as const
  const own = sender((await platform.services.runs.accept.one(byHand)).runId)
  for (const asked of [own.read, own.withdraw]) t.is((await asked()).failure.code, 'RUN_NOT_FOUND', 'no delivery')

  const signature = await signed('github', { body: '{}' })
  for (const headers of [{}, signature, { 'X-Webhook-Secret': 'wrong' }] as Headers[])
    for (const asked of [sender(third.runId, headers).read, sender(third.runId, headers).withdraw])
      t.is((await asked()).failure.code, 'WEBHOOK_SECRET_INVALID')
  const { webhookSecret } = (await rotate(agent, { overlapSeconds: 60 })).body
  t.is((await sender(third.runId).read()).status, 200, 'the former secret')
  t.is((await sender(third.runId, { 'X-Webhook-Secret': webhookSecret ?? '' }).withdraw()).status, 200)
})

test('where Standard Webhooks is the proof, a sender reads and withdraws by a signature over nothing, too', async (t) => {
  const { owner, post, asSender } = await open()
  const agent = await owner.webhookAgent({ webhookProof: 'standard-webhooks' })
  const secret = agent.webhookSecret
  const { runId } = (await post(agent, '{}', await signed('standard-webhooks', { body: '{}', secret }))).body
  const sign = (id: string, body = '', at = nowSeconds()) => signed('standard-webhooks', { id, body, secret, at })
  const toRead = await sign(`get-${runId}`)
  t.notThrows(() => new Webhook(secret).verify('', toRead), 'as its library sees it')
  t.is((await asSender(agent, runId, toRead).read()).status, 200)
  const id = `delete-${runId}`
  const old = await sign(id, '', nowSeconds() - 301)
  const wrong = [await sign(id, '{}'), old, toRead, await sign(`delete-${newId()}`), {}]
  for (const headers of wrong)
    t.is((await asSender(agent, runId, headers).withdraw()).failure.code, 'WEBHOOK_SECRET_INVALID')
  t.is((await asSender(agent, runId, await sign(id)).withdraw()).body.status, 'cancelled')
})

test('limits say when to come again; the rate is counted after the proof, the failed proofs by address, whatever their media type', async (t) => {
  const env = { RATE_LIMIT_WEBHOOK_PER_MINUTE: '5', RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '8', QUEUE_DEPTH: '2' }
  const platform = await startPlatform(t, { env })
  const { agentFor, post, deliver, runs } = await openSenders(t, platform)
  const seconds = ({ headers }: { headers: globalThis.Headers }) => Number(headers.get('retry-after'))
  const often = await agentFor('github')
  const wrong = { ...(await signed('github', { body: '{}' })), 'X-Hub-Signature-256': 'sha256=00' }
  const inForm = { method: 'POST', path: `/api/webhooks/agent/${often.id}`, body: '{}' }
  for (const type of ['text/plain', form])
    t.is((await send(platform.url, { ...inForm, headers: { ...wrong, 'content-type': type } })).status, 401)
  const bare = [`POST ${inForm.path} HTTP/1.1`, 'Host: x', 'Connection: close', 'X-Hub-Signature-256: sha256=00']
  t.is((await ask(platform.url, `${bare.join('\r\n')}\r\n\r\n`)).slice(9, 12), '401', 'over no body at all')
  for (let left = 3; left > 0; left -= 1) t.is((await post(often, '{}', wrong)).status, 401)
  for (let left = 5; left > 0; left -= 1) t.is((await deliver(often, 'github', '{}', 'same')).status, 202)
  const tooMany = await deliver(often, 'github', '{}', 'same')
  t.is(tooMany.failure.code, 'RATE_LIMITED')
  t.true(seconds(tooMany) >= 1 && seconds(tooMany) <= 60)

  const deep = await agentFor('github')
  for (const id of ['one', 'two']) t.is((await deliver(deep, 'github', '{}', id)).status, 202)
  const full = await deliver(deep, 'github', '{}', 'three')
  t.is(full.failure.code, 'RATE_LIMITED')
  t.regex(full.failure.error, /2 unfinished runs/)
  t.is(seconds(full), 60)
  t.is(await runs(deep), 2)

  // Before its body is looked into, a delivery is judged by what its owner pays.
  const poor = await agentFor('github')
  await platform.services.database('accounts').update({ tier: 'free', currentPeriodEnd: null })
  t.is((await deliver(poor, 'github', '{"broken', 'one')).failure.code, 'TIER_REQUIRED')
  for (const body of ['{"broken', '{}']) t.is((await post(poor, body, wrong)).failure.code, 'WEBHOOK_SECRET_INVALID')
  const guessed = await post(poor, '{}', wrong)
  t.is(guessed.failure.code, 'RATE_LIMITED')
  t.true(seconds(guessed) >= 1 && seconds(guessed) <= 60)
  await platform.services.database('accounts').update({ tier: 'team', currentPeriodEnd: new Date('2100-01-01') })
  t.is((await deliver(poor, 'github', '{}', 'two')).status, 202, 'the sender itself is not locked out')
})
