import { createHash, timingSafeEqual } from 'node:crypto'
import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { Receipt } from '../runs/receipt.ts'
import type { Runs } from '../runs/runs.ts'
import { assertMatches, readPayload } from './payload.ts'

/** A request to an agent's webhook, before its body is looked at. */
export interface Knock {
  agentId: string
  secret: string | undefined
  /** The sender's address; wrong secrets are counted by it. */
  address: string
}

/** What an admitted sender delivers. */
export interface Delivery {
  body: Buffer
  idempotencyKey: string | undefined
  requestId: string
}

/** An agent whose sender has proven itself, and who pays for it. */
export interface Admitted {
  agent: Agent
  account: Awaited<ReturnType<Billing['account']>>
}

/**
 * Webhooks: checks in the order that the decisions fix ("Webhooks, exactly"), then a durable run per accepted delivery.
 */
export function createWebhooks(context: { agents: Agents; billing: Billing; runs: Runs; rateLimits: RateLimits }) {
  const { agents, billing, runs, rateLimits } = context

  /** The agent, when the secret is its own. AGENT_NOT_FOUND, WEBHOOK_SECRET_INVALID, RATE_LIMITED (too many wrong ones). */
  async function prove({ agentId, secret, address }: Knock): Promise<Agent> {
    const agent = await agents.forWebhook(agentId)
    if (secret !== undefined && equal(secret, agents.secretOf(agent))) return agent
    await rateLimits.webhookFailed(address)
    throw new CodedError('WEBHOOK_SECRET_INVALID')
  }

  return {
    prove,

    /**
     * Everything that is checked before the body is read. Fails as `prove` does, and with TIER_REQUIRED,
     * SUBSCRIPTION_PAST_DUE, RATE_LIMITED.
     */
    async admit(knock: Knock): Promise<Admitted> {
      const agent = await prove(knock)
      const [account, depth] = await Promise.all([billing.account(agent.ownerId), runs.depth(agent.id)])
      billing.requireFeature(account, 'webhooks')
      billing.requireGoodStanding(account)
      await rateLimits.webhook(agent.id)
      runs.assertRoom(depth)
      return { agent, account }
    },

    /**
     * Accepts a delivery: one run, or the receipt of the run that the same delivery has started before. Fails with
     * VALIDATION_ERROR, WEBHOOK_PAYLOAD_INVALID, NO_CREDITS, RATE_LIMITED.
     */
    async receive({ agent, account }: Admitted, delivery: Delivery): Promise<Receipt> {
      const payload = readPayload(delivery.body)
      assertMatches(agent.webhookSchema, payload)
      const request = {
        agentId: agent.id,
        trigger: 'webhook' as const,
        requestId: delivery.requestId,
        payload: payload.text,
        bodyHash: createHash('sha256').update(delivery.body).digest('hex'),
        idempotencyKey: delivery.idempotencyKey,
      }
      // A repeated delivery gets its receipt although the credits are used up by now: it costs nothing.
      if (account.balance < 1) return (await runs.known(request)) ?? refuse()
      return runs.accept(request)
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>

function refuse(): never {
  throw new CodedError('NO_CREDITS')
}

/** Compares in constant time, also for texts of different lengths. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** The idempotency key of a delivery: `Idempotency-Key` or `webhook-id`, at most 255 characters. */
export function idempotencyKeyOf(header: (name: string) => string | undefined): string | undefined {
  const key = header('idempotency-key') ?? header('webhook-id')
  const message = 'An idempotency key is 1 to 255 visible ASCII characters.'
  assertThat(key === undefined || /^[\x21-\x7e]{1,255}$/.test(key), 'VALIDATION_ERROR', {
    message,
    details: [{ path: 'Idempotency-Key', message }],
  })
  return key
}
