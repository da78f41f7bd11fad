import type { WebhookProof } from '../agents/agent.ts'

/** How a request is signed. */
export interface Signature {
  /** The signed text: `{body}` is the raw bytes, `{id}` and `{timestamp}` come from headers. */
  signs: string
  encoding: 'hex' | 'base64'
  /** The prefix of each signature in the header, usually the scheme's version. Other members are ignored. */
  prefix: string
  /** Separates the members of the header. Without it, the header is one signature. */
  separator?: string
  /**
   * How the secret becomes the key: the text that a person chose, the text that the sender generated (no quotation
   * marks), or decoded from base64.
   */
  key: 'text' | 'made' | 'base64'
  idHeader?: string
  /** Seconds since 1970, in its own header or in the member with this prefix. */
  timestamp?: { header: string } | { prefix: string }
}

/** One kind of proof. */
export interface Preset {
  /** The header with the proof, spelled as in the sender's manual. */
  header: string
  /** Without it the header holds the secret itself. */
  signature?: Signature
  /** The start of the same headers in the sender's other spelling: [here, there]. */
  otherNames?: readonly [here: string, there: string]
  /**
   * What identifies a delivery: a header, or a JSON pointer into the body (RFC 6901). `within`: the header that names
   * the scope of the identity.
   */
  identity?: { header: string; within?: string } | { pointer: string }
  /**
   * Headers in which the sender describes its delivery, from its public documents. They are stored with the delivery,
   * so never list headers that prove something.
   */
  infoHeaders: readonly string[]
  /** A request that only tests the address: this header has this value. It is answered and starts nothing. */
  ping?: { header: string; value: string }
  /** The sender's URL verification: its member `type` has this value, and `challenge` is returned. */
  urlCheck?: { type: string }
}

/**
 * How each sender proves itself. All methods are one HMAC over this table, so no sender needs a library. GitHub and
 * Shopify sign neither the identity nor the time, so anyone who has seen a delivery can replay it under another
 * identity. They offer nothing better.
 */
export const presets: Record<WebhookProof, Preset> = {
  secret: { header: 'X-Webhook-Secret', infoHeaders: [] },
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
    otherNames: ['webhook-', 'svix-'],
    identity: { header: 'webhook-id' },
    infoHeaders: ['webhook-id'],
  },
  github: {
    header: 'X-Hub-Signature-256',
    signature: { signs: '{body}', encoding: 'hex', prefix: 'sha256=', key: 'text' },
    // Two hooks of one repository send an event under the same id.
    identity: { header: 'X-GitHub-Delivery', within: 'X-GitHub-Hook-ID' },
    infoHeaders: [
      'X-GitHub-Event',
      'X-GitHub-Delivery',
      'X-GitHub-Hook-ID',
      'X-GitHub-Hook-Installation-Target-Type',
      'X-GitHub-Hook-Installation-Target-ID',
    ],
    ping: { header: 'X-GitHub-Event', value: 'ping' },
  },
  gitlab: {
    header: 'X-Gitlab-Token',
    identity: { header: 'Idempotency-Key' },
    infoHeaders: ['X-Gitlab-Event', 'X-Gitlab-Event-UUID', 'X-Gitlab-Webhook-UUID', 'X-Gitlab-Instance'],
  },
  stripe: {
    header: 'Stripe-Signature',
    signature: {
      signs: '{timestamp}.{body}',
      encoding: 'hex',
      prefix: 'v1=',
      separator: ',',
      key: 'made',
      timestamp: { prefix: 't=' },
    },
    identity: { pointer: '/id' },
    infoHeaders: [],
  },
  shopify: {
    header: 'X-Shopify-Hmac-Sha256',
    signature: { signs: '{body}', encoding: 'base64', prefix: '', key: 'made' },
    otherNames: ['X-Shopify-', 'shopify-'],
    identity: { header: 'X-Shopify-Webhook-Id' },
    infoHeaders: [
      'X-Shopify-Topic',
      'X-Shopify-Shop-Domain',
      'X-Shopify-API-Version',
      'X-Shopify-Webhook-Id',
      'X-Shopify-Event-Id',
      'X-Shopify-Triggered-At',
    ],
  },
  slack: {
    header: 'X-Slack-Signature',
    signature: {
      signs: 'v0:{timestamp}:{body}',
      encoding: 'hex',
      prefix: 'v0=',
      key: 'made',
      timestamp: { header: 'X-Slack-Request-Timestamp' },
    },
    identity: { pointer: '/event_id' },
    infoHeaders: ['X-Slack-Retry-Num', 'X-Slack-Retry-Reason'],
    urlCheck: { type: 'url_verification' },
  },
}
