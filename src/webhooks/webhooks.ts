import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { requireCredits, requirePaidSubscription, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import { assertThat, CodedError, isCoded } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { canaryAgentId } from '../owners/system-owner.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { AcceptRequest, Receipt } from '../runs/accept/receipt.ts'
import type { Runs } from '../runs/runs.ts'
import type { Silence } from '../silence/silence.ts'
import type { LargeBodies } from '../threads/large-bodies.ts'
import { challengeIn, identityOf } from './delivery-identity.ts'
import { demandedOfDelivery, demandedOfSender } from './demanded-proofs.ts'
import { isPing, keptHeaders } from './kept-headers.ts'
import { assertMatches, type Payload } from './payload.ts'
import type { Payloads } from './payloads.ts'
import { presets, type Preset } from './presets.ts'
import { problemOfProof, type ReadHeader } from './proofs.ts'
import { noWebhook, type Recipient, type Recipients } from './recipients.ts'
import { presetsSent } from './header-names.ts'
import type { RefusalsOfDeliveries } from './refusals.ts'

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
  /** Sent by its owner, who sees the refusal at once, so that it is not recorded among those of the sender. */
  fromOwner?: boolean
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
  refusals: RefusalsOfDeliveries
  runs: Runs
  rateLimits: RateLimits
  metrics: Pick<Metrics, 'deliveries' | 'acceptSeconds'>
  silence: Pick<Silence, 'note'>
}) {
  const { agents, billing, clock, largeBodies, payloads, recipients, refusals, runs, rateLimits, metrics, silence } =
    context

  async function verify(request: InboundRequest, secrets: string[], demanded: Preset[]): Promise<void> {
    const evidence = { header: request.header, readBody: request.readBody, secrets, now: clock.now() }
    for (const wanted of demanded)
      for (const preset of presetsSent(wanted, request.header)) {
        const message = await problemOfProof(preset, { ...evidence, isBeside: wanted !== demanded[0] })
        if (message !== undefined) throw proofRefused(preset, message)
      }
  }

  /** Throws the refusal. Counts a refused proof by the sender's address. */
  async function refuse(request: InboundRequest, refusal: unknown): Promise<never> {
    if (isCoded(refusal, 'WEBHOOK_SECRET_INVALID')) await rateLimits.webhookFailed(request.address)
    throw refusal
  }

  /**
   * All checks of a delivery, in order, and the creation of its run. `isFinal`: the recipient was read after the body, so
   * that no state can have ended meanwhile. `unfinished` is absent for a remembered agent.
   */
  async function judge(
    delivery: Judged,
    recipient: Recipient,
    isFinal: boolean,
    unfinished?: number,
  ): Promise<Outcome | 'stale'> {
    const { agent, standing, secrets } = recipient
    assertThat(agent.trigger === 'webhook', 'AGENT_NOT_FOUND', { message: noWebhook })
    delivery.proved = undefined
    await verify(delivery, secrets, demandedOfDelivery(agent.webhookProof, delivery.header))
    delivery.proved = presets[agent.webhookProof]
    assertAccepting(standing)
    requireFeature(standing, 'webhooks')
    requirePaidSubscription(standing)
    await (delivery.counted.agent ??= rateLimits.webhook(agent.id))
    if (unfinished !== undefined) runs.queue.assertRoom(unfinished)
    delivery.assertJson()
    const body = await delivery.readBody()
    await (delivery.counted.owner ??= rateLimits.delivery(agent.ownerId, standing))
    await (delivery.counted.bytes ??= rateLimits.inputBytes(agent.ownerId, standing, body.length))
    // Until the commit: large bodies take turns there too.
    return largeBodies.carryOut(agent.ownerId, body.length, () => judgeBody(delivery, recipient, body, isFinal))
  }

  async function judgeBody(delivery: Judged, recipient: Recipient, body: Buffer, isFinal: boolean) {
    const { agent, standing } = recipient
    const preset = presets[agent.webhookProof]
    const payload = await payloads.read(body, agent)
    const challenge = challengeIn(preset, payload)
    const isTest = challenge !== undefined || isPing(preset, delivery.header)
    // A test has no commit that would compare the version.
    if (isTest && !isFinal) return 'stale'
    if (isTest) return challenge === undefined ? { pong: true as const } : { challenge }
    const request = requestOf(delivery, recipient, body, payload)
    try {
      assertMatches(payload)
      requireCredits(standing)
      await billing.storedBytes.assertStorageLimit(agent.ownerId, standing)
    } catch (refusal) {
      // A repeat gets its receipt even if the schema or the credits have changed. Its sender would otherwise correct the
      // payload and send the event under a new key, and it would run twice.
      if (!isFinal) return 'stale'
      const receipt = await runs.accept.earlierReceipt(request, refusal)
      metrics.deliveries.inc({ result: 'repeated' })
      return receipt
    }
    delivery.isDecided = true
    return runs.accept.withOthers(request)
  }

  /** A refusal by a remembered state is not believed. A decision of the commit is: it has compared the version. */
  async function judgeByMemory(delivery: Judged): Promise<Outcome | 'stale'> {
    const recipient = recipients.remembered(delivery.agentId)
    if (!recipient) return 'stale'
    try {
      return await judge(delivery, recipient, false)
    } catch (refusal) {
      if (isCoded(refusal) && !delivery.isDecided) return 'stale'
      throw refusal
    }
  }

  /** A refusal is not believed either if the body arrived during the checks: the agent may have changed meanwhile. */
  async function judgeByRecord(delivery: Judged): Promise<Outcome | 'stale'> {
    const isFinal = delivery.hasBody
    const { recipient, unfinished } = await recipients.current(delivery.agentId)
    try {
      return await judge(delivery, recipient, isFinal, unfinished)
    } catch (refusal) {
      if (isCoded(refusal) && !delivery.isDecided && delivery.hasBody !== isFinal) return 'stale'
      if (isCoded(refusal, 'WEBHOOK_SECRET_INVALID')) refusals.noteFailedProof(delivery)
      return refuse(delivery, refusal)
    }
  }

  /** The outcome, or the refusal of the last judgment. */
  async function decide(delivery: Judged): Promise<Outcome> {
    let outcome = await judgeByMemory(delivery)
    for (let tries = 0; outcome === 'stale' && tries < mostTries; tries += 1) outcome = await judgeByRecord(delivery)
    if (outcome !== 'stale') return outcome
    throw new CodedError('INTERNAL_ERROR', { message: keepsChanging, retryAfter: 1 })
  }

  /** Notes why a delivery is refused. A refused proof is noted when it is counted. */
  function noteRefusal({ agentId, header, proved: preset, bodyBytes, fromOwner }: Judged, refusal: unknown): void {
    if (isCoded(refusal) && preset && !fromOwner) refusals.note({ agentId, header, preset, bodyBytes }, refusal)
  }

  /** The canary's deliveries are nobody's, and the test of an address leaves no trace. */
  function noteAccepted({ agentId, fromOwner: isTest = false }: Judged, outcome: Outcome, ms: number): void {
    if (agentId === canaryAgentId) return
    if ('sequence' in outcome) {
      metrics.acceptSeconds.observe(ms / 1000)
      silence.note({ agentId, sequence: outcome.sequence, isTest })
    } else metrics.deliveries.inc({ result: 'test' })
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
      const proved = verify(request, agents.goodSecretsOf(agent), demanded)
      await proved.catch((refusal: unknown) => refuse(request, refusal))
      return agent
    },

    /**
     * Accepts a delivery: creates a run, or returns the receipt of the run that the same delivery created earlier, even
     * if the schema or the credits have changed since. A test of the address is answered and leaves no trace. Judges by
     * the remembered agent first, and again by the record after a refusal, after a body that arrived during the checks,
     * or if the agent has changed before the commit. Fails with AGENT_NOT_FOUND, WEBHOOK_SECRET_INVALID, TIER_REQUIRED,
     * PERMISSION_DENIED (the account is suspended), SUBSCRIPTION_PAST_DUE, RATE_LIMITED (deliveries, bytes, failed proofs,
     * a full queue), VALIDATION_ERROR (not a JSON object, a malformed key, a key used for another body),
     * WEBHOOK_PAYLOAD_INVALID, NO_CREDITS, FEATURE_LIMIT_REACHED (no room for payloads).
     */
    async deliver(given: InboundDelivery): Promise<Outcome> {
      const delivery: Judged = { ...given, readBody, counted: {}, hasBody: false, isDecided: false }
      const began = performance.now()
      let readMs = 0
      try {
        const outcome = await decide(delivery)
        noteAccepted(delivery, outcome, performance.now() - began - readMs)
        return outcome
      } catch (refusal) {
        metrics.deliveries.inc({ result: isCoded(refusal) ? refusal.code : 'INTERNAL_ERROR' })
        noteRefusal(delivery, refusal)
        throw refusal
      }

      async function readBody(): Promise<Buffer> {
        const reading = performance.now()
        const body = await given.readBody()
        readMs += performance.now() - reading
        delivery.hasBody = true
        delivery.bodyBytes = body.length
        return body
      }
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

/** A delivery while it is judged. It may be judged again, and is counted once: a limit refuses it again, if it did. */
interface Judged extends InboundDelivery {
  counted: { agent?: Promise<void>; owner?: Promise<void>; bytes?: Promise<void> }
  /** Whether the body has been read. */
  hasBody: boolean
  bodyBytes?: number
  /** What its sender has proved itself by, at the last judgment. */
  proved?: Preset | undefined
  /** Whether the commit decides, or has decided. */
  isDecided: boolean
}

function requestOf(
  { header, requestId }: InboundDelivery,
  { agent, standing, version, until }: Recipient,
  body: Buffer,
  payload: Payload,
): AcceptRequest {
  const preset = presets[agent.webhookProof]
  return {
    agentId: agent.id,
    trigger: 'webhook',
    requestId,
    payload: payload.text,
    action: payload.action,
    headers: keptHeaders(preset, header),
    judgedBy: { version, tokensPerMonth: standing.limits.tokensPerMonth, until },
    ...identityOf(preset, header, body, payload),
  }
}

const keepsChanging = 'The agent or its account keeps changing. Nothing was stored. Try again in a second.'

const proofRefused = ({ header }: Preset, message: string): CodedError =>
  new CodedError('WEBHOOK_SECRET_INVALID', { message, challenge: ['Webhook', `header="${header}"`] })

function assertAccepting({ isClosing, isSuspended }: Pick<AccountStatus, 'isClosing' | 'isSuspended'>): void {
  assertThat(!isClosing, 'TIER_REQUIRED', { message: closing })
  assertThat(!isSuspended, 'PERMISSION_DENIED', { message: suspended })
}

const purposeMessage = (purpose: string): string =>
  `The webhook-id header must be "${purpose}" so that the signature is valid only for this request.`
