import test, { type ExecutionContext } from 'ava'
import * as agentSecrets from '../../../api/agent-secrets.ts'
import type { WebhookProof } from '../../../src/agents/agent.ts'
import { newId } from '../../../src/ids.ts'
import { ask, send } from '../../api/raw-http.ts'
import { call } from '../../helpers/client.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { runsOf } from '../../helpers/runs.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/** As GitHub posts unless it is told otherwise. */
const form = 'application/x-www-form-urlencoded'
const mediaTypes = [form, 'text/plain', 'multipart/form-data; boundary=x', 'nonsense/', undefined]

/** For all tests but the one that needs a limit of its own; each makes agents of its own. */
const open = forWholeFile(test, 'media types', (t) => openForms(t, 1_000_000))

async function openForms(t: ExecutionContext, failures: number) {
  const env = { RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: String(failures) }
  const platform = await startPlatform(t, { env })
  const someone = await customer(platform, 'team')
  async function agentFor(proof: WebhookProof) {
    const agent = await webhookAgent(someone, { webhookProof: proof })
    const body = { secret: senders[proof].secret, overlapSeconds: 0 }
    await call(someone, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body })
    return { id: agent.id, proof }
  }
  type Agent = Awaited<ReturnType<typeof agentFor>>
  /** Posts a body that is signed as the sender does, or as one who has another secret. */
  async function post({ id, proof }: Agent, type: string | undefined, isRight: boolean, body = '{"number":1}') {
    const secret = isRight ? senders[proof].secret : `whsec_${'A'.repeat(43)}=`
    const signed = await senders[proof].headers({ secret, body, id: newId(), at: nowSeconds() })
    const headers = { ...signed, ...(type !== undefined && { 'content-type': type }) }
    return send(platform.url, { method: 'POST', path: `/api/webhooks/agent/${id}`, headers, body })
  }
  return { platform, someone, agentFor, post }
}

// @promise proofs
test('a wrong proof is a wrong proof whatever the media type, and a right one is told to send JSON', async (t) => {
  const { someone, agentFor, post } = await open()
  for (const proof of Object.keys(senders) as WebhookProof[]) {
    const agent = await agentFor(proof)
    for (const type of mediaTypes) {
      const what = `${proof}, ${type}`
      const wrong = await post(agent, type, false)
      t.deepEqual([wrong.status, wrong.code], [401, 'WEBHOOK_SECRET_INVALID'], what)
      const right = await post(agent, type, true)
      t.deepEqual([right.status, right.code], [400, 'VALIDATION_ERROR'], what)
      t.regex(right.text, /Send the body as JSON, with \\"Content-Type: application\/json\\"/, what)
    }
    t.is((await post(agent, form, true, 'payload=%7B%22number%22%3A1%7D')).code, 'VALIDATION_ERROR')
    t.deepEqual(await runsOf(someone, agent), [], proof)
  }
})

test('a delivery without a body is told that it has none, whatever its media type', async (t) => {
  const { platform, agentFor } = await open()
  const { id } = await agentFor('secret')
  const head = [`POST /api/webhooks/agent/${id} HTTP/1.1`, 'Host: x', 'Connection: close']
  const secret = `X-Webhook-Secret: ${senders.secret.secret}`
  for (const type of ['application/json', form])
    for (const length of [[], ['Content-Length: 0']]) {
      const lines = [...head, secret, `Content-Type: ${type}`, ...length]
      const answer = await ask(platform.url, `${lines.join('\r\n')}\r\n\r\n`)
      t.regex(answer, /^HTTP\/1\.1 400 /)
      t.regex(
        answer,
        /"The body is missing\. Send one as JSON.+"code":"VALIDATION_ERROR"/,
        `${type} ${length.join('')}`,
      )
    }
})

// @promise senders
test('wrong signatures are counted whatever the media type, and over no body at all, until there are too many', async (t) => {
  const { platform, someone, agentFor, post } = await openForms(t, 6)
  const agent = await agentFor('github')
  for (const type of mediaTypes) t.is((await post(agent, type, false)).status, 401, type)
  const head = [`POST /api/webhooks/agent/${agent.id} HTTP/1.1`, 'Host: x', 'Connection: close']
  const lines = [...head, 'X-Hub-Signature-256: sha256=00', 'X-GitHub-Delivery: 1', '', '']
  const answers = await Promise.all([1, 2].map(() => ask(platform.url, lines.join('\r\n'))))
  t.deepEqual(answers.map((answer) => answer.slice(9, 12)).toSorted(), ['401', '429'])
  const tooMany = await post(agent, form, false)
  t.deepEqual([tooMany.status, tooMany.code], [429, 'RATE_LIMITED'])
  t.is((await post(agent, form, true)).status, 400, 'the sender itself is not locked out by those who are not')
  t.is((await post(agent, 'application/json', true)).status, 202)
  t.is((await runsOf(someone, agent)).length, 1)
})

test('a body that is too long, or that cannot be inflated, is refused as that whatever the media type', async (t) => {
  const { platform, someone, agentFor, post } = await open()
  const agent = await agentFor('github')
  const long = await post(agent, form, false, ' '.repeat(platform.config.bodies.webhookBytes + 1))
  t.regex(long.text, /larger than/)
  t.is(long.code, 'VALIDATION_ERROR')
  const headers = { 'x-hub-signature-256': 'sha256=00', 'content-type': form, 'content-encoding': 'gzip' }
  const path = `/api/webhooks/agent/${agent.id}`
  const broken = await send(platform.url, { method: 'POST', path, headers, body: 'no gzip' })
  t.regex(broken.text, /not valid compressed data/)
  t.deepEqual(await runsOf(someone, agent), [])
})
