import type { WebhookProof } from '../agents/agent.ts'

/** How a signature is made of a request. */
export interface Signature {
  /** What is signed; `{body}` stands for the raw bytes, `{id}` and `{timestamp}` for texts that come with them. */
  signs: string
  encoding: 'hex' | 'base64'
  /** What is in front of each signature in the header, the scheme's version most often. Others are passed over. */
  prefix: string
  /** What is between the members of the header; without it the header is one signature. */
  separator?: string
  /** How the secret becomes the key: its characters, or the bytes that it is the base64 of. */
  key: 'text' | 'base64'
  idHeader?: string
  /** Seconds since 1970, in a header of their own or in the member of the header with that prefix. */
  timestamp?: { header: string } | { prefix: string }
}

/** A way in which senders prove themselves. */
export interface Preset {
  /** The header that proves, spelled as the sender's manual does. */
  header: string
  /** Without it the header holds the secret itself. */
  signature?: Signature
  /** What tells one delivery from another: a header, or a place in the body (RFC 6901). */
  identity?: { header: string } | { pointer: string }
  /** The request that asks whether the address is right: the member `type` says so, and `challenge` is sent back. */
  urlCheck?: { type: string }
}

/**
 * How each sender proves itself (docs/design.md, "Senders as they are"). Of GitHub and Shopify the identity is not
 * under the signature, and the time is not either: whoever has seen a delivery can repeat it under another one. They
 * offer nothing better.
 */
export const presets: Record<WebhookProof, Preset> = {
  secret: { header: 'X-Webhook-Secret' },
  'standard-webhooks': {
    header: 'webhook-signature',
    signature: {
      signs: '{id}.{timestamp}.{body}',
      encoding: 'base64',
      prefix: 'v1,',
      separator: ' ',
      key: 'base64',
      idHeader: 'webhook-id',
      timestamp: { header: 'webhook-timestamp' },
    },
    identity: { header: 'webhook-id' },
  },
  github: {
    header: 'X-Hub-Signature-256',
    signature: { signs: '{body}', encoding: 'hex', prefix: 'sha256=', key: 'text' },
    identity: { header: 'X-GitHub-Delivery' },
  },
  gitlab: { header: 'X-Gitlab-Token', identity: { header: 'Idempotency-Key' } },
  stripe: {
    header: 'Stripe-Signature',
    signature: {
      signs: '{timestamp}.{body}',
      encoding: 'hex',
      prefix: 'v1=',
      separator: ',',
      key: 'text',
      timestamp: { prefix: 't=' },
    },
    identity: { pointer: '/id' },
  },
  shopify: {
    header: 'X-Shopify-Hmac-Sha256',
    signature: { signs: '{body}', encoding: 'base64', prefix: '', key: 'text' },
    identity: { header: 'X-Shopify-Webhook-Id' },
  },
  slack: {
    header: 'X-Slack-Signature',
    signature: {
      signs: 'v0:{timestamp}:{body}',
      encoding: 'hex',
      prefix: 'v0=',
      key: 'text',
      timestamp: { header: 'X-Slack-Request-Timestamp' },
    },
    identity: { pointer: '/event_id' },
    urlCheck: { type: 'url_verification' },
  },
}
