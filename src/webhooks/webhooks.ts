import type { Agent, WebhookProof } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { requireCredits, requirePaidSubscription, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import { assertThat, CodedError, isCoded } from '../errors.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { AcceptRequest, Receipt } from '../runs/accept/receipt.ts'
import type { Runs } from '../runs/runs.ts'
import type { LargeBodies } from '../threads/large-bodies.ts'
import { challengeIn, identityOf } from './delivery-identity.ts'
import { isPing, keptHeaders } from './kept-headers.ts'
import { assertMatches } from './payload.ts'
import type { Payloads } from './payloads.ts'
import { presets, type Preset } from './presets.ts'
import { problemOfProof, type ReadHeader } from './proofs.ts'
import { noWebhook, type Recipient, type Recipients } from './recipients.ts'
import { namesOf, presetsSent } from './header-names.ts'

const suspended =
  'The account that owns this agent is suspended, so the agent accepts no deliveries. Send the delivery again after the operator lifts the suspension.'
const closing = 'The account that owns this agent is scheduled for deletion, so the agent accepts no deliveries.'

/** A request to an agent's webhook, before its body is read. */
export interface InboundRequest {
  agentId: string
  header: ReadHeader
  /** Reads the raw bytes, which signatures cover. Later calls return the same bytes. */
  readBody: () => Promise<Buffer>
  /** The sender's address; failed proofs are counted by address. */
  address: string
}

export interface InboundDelivery extends InboundRequest {
  requestId: string
  /** Fails with VALIDATION_ERROR unless the body is declared as JSON. */
  assertJson: () => void
  /** Where the delivery was counted. It may be judged again, and counts once. */
  counted?: { requests?: true; bytes?: true }
}

/** The outcome of a delivery: a run's receipt, or the answer to a test of the address. */
export type Outcome = Receipt | { challenge: string } | { pong: true }

/** How often a delivery is judged again because its agent or its account changes at the same time. */
const mostTries = 20

/**
 * Webhooks: checks in a fixed order (docs/understand/order.md, "Order of checks"), then one durable run per delivery.
 */
export function createWebhooks(context: {
  agents: Agents
  billing: Billing
  clock: Clock
  largeBodies: LargeBodies
  payloads: Payloads
  recipients: Recipients
  runs: Runs
  rateLimits: RateLimits
}) {
  const { agents, billing, clock, largeBodies, payloads, recipients, runs, rateLimits } = context

  async function verify(request: InboundRequest, secrets: string[], demanded: Preset[]): Promise<void> {
    const evidence = { header: request.header, readBody: request.readBody, secrets, now: clock.now() }
    for (const wanted of demanded)
      for (const preset of presetsSent(wanted, request.header)) {
        const message = await problemOfProof(preset, { ...evidence, isBeside: wanted !== demanded[0] })
        if (message !== undefined) throw proofRefused(preset, message)
      }
  }

  /** Counts a refused proof by the sender's address. */
  async function verifyCounted(request: InboundRequest, secrets: string[], demanded: Preset[]): Promise<void> {
    try {
      await verify(request, secrets, demanded)
    } catch (refusal) {
      if (isCoded(refusal, 'WEBHOOK_SECRET_INVALID')) await rateLimits.webhookFailed(request.address)
      throw refusal
    }
  }

  /** All checks of a delivery, in order, up to the request for its run. `unfinished` is the depth of the queue. */
  async function judge(delivery: InboundDelivery, recipient: Recipient, unfinished?: number): Promise<Judged> {
    const { agent, standing, secrets } = recipient
    assertThat(agent.trigger === 'webhook', 'AGENT_NOT_FOUND', { message: noWebhook })
    const isRemembered = unfinished === undefined
    await (isRemembered ? verify : verifyCounted)(
      delivery,
      secrets,
      demandedOfDelivery(agent.webhookProof, delivery.header),
    )
    assertAccepting(standing)
    requireFeature(standing, 'webhooks')
    requirePaidSubscription(standing)
    await countRequest(delivery, agent)
    if (!isRemembered) runs.queue.assertRoom(unfinished)
    delivery.assertJson()
    const body = await delivery.readBody()
    await countBytes(delivery, recipient, body.length)
    return largeBodies.carryOut(agent.ownerId, body.length, () => judgeBody(delivery, recipient, body))
  }

  async function countRequest({ counted = {} }: InboundDelivery, { id }: Agent): Promise<void> {
    if (!counted.requests) await rateLimits.webhook(id)
    counted.requests = true
  }

  async function countBytes({ counted = {} }: InboundDelivery, { agent, standing }: Recipient, bytes: number) {
    if (counted.bytes) return
    await rateLimits.delivery(agent.ownerId, standing)
    await rateLimits.inputBytes(agent.ownerId, standing, bytes)
    counted.bytes = true
  }

  async function judgeBody(delivery: InboundDelivery, recipient: Recipient, body: Buffer): Promise<Judged> {
    const { agent, standing, version } = recipient
    const { header, requestId } = delivery
    const preset = presets[agent.webhookProof]
    const payload = await payloads.read(body, agent)
    const challenge = challengeIn(preset, payload)
    if (challenge !== undefined) return { outcome: { challenge } }
    if (isPing(preset, header)) return { outcome: { pong: true } }
    const request: AcceptRequest = {
      agentId: agent.id,
      trigger: 'webhook',
      requestId,
      payload: payload.text,
      action: payload.action,
      headers: keptHeaders(preset, header),
      judgedBy: { version, tokensPerMonth: standing.limits.tokensPerMonth },
      ...identityOf(preset, header, body, payload),
    }
    try {
      assertMatches(payload)
      requireCredits(standing)
      await billing.storedBytes.assertStorageLimit(agent.ownerId, standing)
    } catch (refusal) {
      return { request, refusal }
    }
    return { request }
  }

  /** A refusal by a remembered state is not believed, and a test of the address has no commit that would check it. */
  async function judgeByMemory(delivery: InboundDelivery): Promise<AcceptRequest | undefined> {
    const recipient = recipients.remembered(delivery.agentId)
    if (!recipient) return undefined
    try {
      const judged = await judge(delivery, recipient)
      return 'request' in judged && judged.refusal === undefined ? judged.request : undefined
    } catch (refusal) {
      if (isCoded(refusal)) return undefined
      throw refusal
    }
  }

  async function judgeByRecord(delivery: InboundDelivery): Promise<AcceptRequest | { outcome: Outcome }> {
    const { recipient, unfinished } = await recipients.current(delivery.agentId)
    const judged = await judge(delivery, recipient, unfinished)
    if ('outcome' in judged) return judged
    // A repeat gets its receipt even if the schema or the credits have changed. Its sender would otherwise correct the
    // payload and send the event under a new key, and it would run twice.
    if (judged.refusal !== undefined)
      return { outcome: await runs.accept.earlierReceipt(judged.request, judged.refusal) }
    return judged.request
  }

  return {
    /**
     * The agent, if a request about a delivery is from its sender. A signature must name the purpose, because there is
     * no body to name it. Fails with AGENT_NOT_FOUND, WEBHOOK_SECRET_INVALID, RATE_LIMITED (too many failed proofs).
     */
    async verifySender(request: InboundRequest, purpose: string): Promise<Agent> {
      const agent = await agents.forSender(request.agentId)
      const demanded = demandedOfSender(agent.webhookProof, request.header)
      const signed = presets['standard-webhooks']
      if (demanded.includes(signed) && request.header('webhook-id') !== purpose) {
        await rateLimits.webhookFailed(request.address)
        throw proofRefused(signed, purposeMessage(purpose))
      }
      await verifyCounted(request, agents.goodSecretsOf(agent), demanded)
      return agent
    },

    /**
     * Accepts a delivery: creates a run, or returns the receipt of the run that the same delivery created earlier, even
     * if the schema or the credits have changed since. A test of the address is answered and leaves no trace. Judges by
     * the remembered agent first, and again by the record after a refusal, or if the agent has changed before the
     * commit. Fails with AGENT_NOT_FOUND, WEBHOOK_SECRET_INVALID, TIER_REQUIRED, PERMISSION_DENIED (the account is
     * suspended), SUBSCRIPTION_PAST_DUE, RATE_LIMITED (deliveries, bytes, failed proofs, a full queue),
     * VALIDATION_ERROR (not a JSON object, a malformed key, a key used for another body), WEBHOOK_PAYLOAD_INVALID,
     * NO_CREDITS, FEATURE_LIMIT_REACHED (no room for payloads).
     */
    async deliver(given: InboundDelivery): Promise<Outcome> {
      const delivery = { ...given, counted: {} }
      let request: AcceptRequest | undefined = await judgeByMemory(delivery)
      for (let tries = 0; tries < mostTries; tries += 1) {
        const judged = request ?? (await judgeByRecord(delivery))
        if ('outcome' in judged) return judged.outcome
        const receipt = await runs.accept.withOthers(judged)
        if (receipt !== 'stale') return receipt
        request = undefined
      }
      throw new CodedError('INTERNAL_ERROR', { message: keepsChanging, retryAfter: 1 })
    },

    /**
     * Withdraws a queued delivery for its sender, and returns its receipt. Fails with RUN_NOT_FOUND,
     * RUN_NOT_CANCELLABLE.
     */
    async withdraw(agentId: string, runId: string): Promise<Receipt> {
      await runs.reading.receipt(agentId, runId)
      await runs.ending.withdraw({ id: runId, agentId })
      return runs.reading.receipt(agentId, runId)
    },
  }
}

/** The request for the delivery's run, with the refusal that only a repeat escapes; or the answer to a test. */
type Judged = { request: AcceptRequest; refusal?: unknown } | { outcome: Outcome }

const keepsChanging = 'The agent or its account keeps changing. Nothing was stored. Try again in a second.'

const proofRefused = ({ header }: Preset, message: string): CodedError =>
  new CodedError('WEBHOOK_SECRET_INVALID', { message, challenge: ['Webhook', `header="${header}"`] })

function assertAccepting({ isClosing, isSuspended }: Pick<AccountStatus, 'isClosing' | 'isSuspended'>): void {
  assertThat(!isClosing, 'TIER_REQUIRED', { message: closing })
  assertThat(!isSuspended, 'PERMISSION_DENIED', { message: suspended })
}

/**
 * A signature sent beside the secret must also be valid, because its sender relies on it. GitLab's signing token makes
 * the same signature. It proves more than the secret token, so it is enough.
 */
function demandedOfDelivery(proof: WebhookProof, header: ReadHeader): Preset[] {
  const signed = presets['standard-webhooks']
  const isSigned = namesOf(signed, signed.header).some((name) => header(name) !== undefined)
  if (proof === 'secret' && isSigned) return [presets.secret, signed]
  return proof === 'gitlab' && isSigned ? [signed] : [presets[proof]]
}

const purposeMessage = (purpose: string): string =>
  `The webhook-id header must be "${purpose}" so that the signature is valid only for this request.`

/** The caller is the sender's own program, not GitHub or Stripe: it sends the secret, or signs an empty body. */
const demandedOfSender = (proof: WebhookProof, header: ReadHeader): Preset[] =>
  proof === 'standard-webhooks' && header('x-webhook-secret') === undefined
    ? [presets['standard-webhooks']]
    : demandedOfDelivery('secret', header)
