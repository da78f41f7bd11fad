import test from 'ava'
import { verify as verifyForGitHub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import type { WebhookProof } from '../../../src/agents/agent.ts'
import { presets } from '../../../src/webhooks/presets.ts'
import { signedHeaders } from '../../../src/webhooks/signed-headers.ts'
import { senders } from '../../helpers/senders.ts'

const body = '{"id":"evt_1","name":"Grüße"}'
const now = new Date()
const at = Math.floor(now.getTime() / 1000)

const made = (proof: WebhookProof) =>
  signedHeaders(presets[proof], { secret: senders[proof].secret, body: Buffer.from(body), id: 'delivery-1', now })

for (const proof of Object.keys(presets) as WebhookProof[])
  test(`the proof that a ${proof} sender would make is among the signed headers`, async (t) => {
    const { secret, headers } = senders[proof]
    const theirs = await headers({ secret, body, id: 'delivery-1', at })
    const proofHeader = presets[proof].header
    t.truthy(theirs[proofHeader])
    t.is(made(proof)[proofHeader], theirs[proofHeader])
  })

test("the libraries of GitHub, Stripe and Standard Webhooks verify the platform's signatures", async (t) => {
  t.true(await verifyForGitHub(senders.github.secret, body, made('github')['X-Hub-Signature-256'] ?? ''))
  const stripe = made('stripe')['Stripe-Signature'] ?? ''
  t.is(Stripe.webhooks.constructEvent(body, stripe, senders.stripe.secret).id, 'evt_1')
  t.notThrows(() => new Webhook(senders['standard-webhooks'].secret).verify(body, made('standard-webhooks')))
})
