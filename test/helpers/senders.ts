import { createHmac } from 'node:crypto'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import type { WebhookProof } from '../../src/agents/agent.ts'

export interface Signing {
  secret: string
  body: string
  /** The delivery's id, for senders that put it in a header. */
  id: string
  /** Seconds since 1970. */
  at: number
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** A real sender: a secret of its kind, and its headers for a body. */
export interface Sender {
  secret: string
  headers: (signing: Signing) => Promise<Record<string, string>>
  /** A body with the id, for senders that put it there. */
  bodyOf: (id: string) => Record<string, unknown>
}

const plainBody = (): Record<string, unknown> => ({ event: 'post.created', post_id: 4711 })

/** Every sender that the platform supports. The sender's or the scheme's own library signs if there is one. */
export const senders: Record<WebhookProof, Sender> = {
  secret: {
    secret: 'a-secret-of-our-own-choice',
    headers: async ({ secret, id }) => ({ 'X-Webhook-Secret': secret, 'Idempotency-Key': id }),
    bodyOf: plainBody,
  },
  'standard-webhooks': {
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    async headers({ secret, body, id, at }) {
      const signature = new Webhook(secret).sign(id, new Date(at * 1000), body)
      return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }
    },
    bodyOf: plainBody,
  },
  github: {
    secret: 'a-secret-that-was-typed-in-at-github',
    async headers({ secret, body, id }) {
      return {
        'X-GitHub-Delivery': id,
        'X-GitHub-Event': 'push',
        'X-Hub-Signature-256': await signForGitHub(secret, body),
      }
    },
    bodyOf: plainBody,
  },
  gitlab: {
    secret: 'a-token-that-was-typed-in-at-gitlab',
    headers: async ({ secret, id }) => ({ 'X-Gitlab-Token': secret, 'Idempotency-Key': id }),
    bodyOf: plainBody,
  },
  stripe: {
    secret: `whsec_${'stripe0123456789'.repeat(2)}`,
    async headers({ secret, body, at }) {
      const options = { payload: body, secret, timestamp: at }
      return { 'Stripe-Signature': Stripe.webhooks.generateTestHeaderString(options) }
    },
    bodyOf: (id) => ({ id, object: 'event', type: 'invoice.paid' }),
  },
  shopify: {
    secret: '0123456789abcdef0123456789abcdef',
    // As documented by Shopify: the base64 of an HMAC-SHA256 of the raw body. Shopify's libraries only verify.
    headers: async ({ secret, body, id }) => ({
      'X-Shopify-Webhook-Id': id,
      'X-Shopify-Hmac-Sha256': createHmac('sha256', secret).update(body).digest('base64'),
    }),
    bodyOf: plainBody,
  },
  slack: {
    secret: 'fedcba9876543210fedcba9876543210',
    // As documented by Slack. The test of proofs has Slack's published example.
    headers: async ({ secret, body, at }) => ({
      'X-Slack-Request-Timestamp': String(at),
      'X-Slack-Signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`,
    }),
    bodyOf: (id) => ({ type: 'event_callback', event_id: id }),
  },
}
