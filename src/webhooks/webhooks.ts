import type { Agent, WebhookProof } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { requireCredits, requirePaidSubscription, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { Recipient } from '../runs/accept/recheck-senders.ts'
import type { Receipt } from '../runs/accept/receipt.ts'
import type { Runs } from '../runs/runs.ts'
import type { LargeBodies } from '../threads/large-bodies.ts'
import { challengeIn, identityOf } from './delivery-identity.ts'
import { isPing, keptHeaders } from './kept-headers.ts'
import { assertMatches } from './payload.ts'
import type { Payloads } from './payloads.ts'
import { presets, type Preset } from './presets.ts'
import { problemOfProof, type ReadHeader } from './proofs.ts'
import { namesOf, presetsSent } from './header-names.ts'

const suspended =
  'The account that owns this agent is suspended, so the agent accepts no deliveries. Send the delivery again after the operator lifts the suspension.'
const closing = 'The account that owns this agent is scheduled for deletion, so the agent accepts no deliveries.'

/** A request to an agent's webhook, before its body is parsed. */
export interface InboundRequest {
  agentId: string
  header: ReadHeader
  /** Reads the raw bytes, which signatures cover. */
  readBody: () => Promise<Buffer>
  /** The sender's address; failed proofs are counted by address. */
  address: string
  /** Whether it counts as a delivery. A recheck of its sender does not. */
  isCounted: boolean
}

/** The content of a delivery from an admitted sender. */
export interface Delivery {
  body: Buffer
  header: ReadHeader
  requestId: string
}

/** An agent with a proven sender, and its owner's standing. */
interface Admitted {
  agent: Agent
  standing: AccountStatus
  request: InboundRequest
}

/** The outcome of a delivery: a run's receipt, or the answer to a test of the address. */
type Outcome = Receipt | { challenge: string } | { pong: true }

/**
 * Webhooks: checks in a fixed order (docs/understand/order.md, "Order of checks"), then one durable run per delivery.
 */
export function createWebhooks(context: {
  agents: Agents
  billing: Billing
  clock: Clock
  largeBodies: LargeBodies
  payloads: Payloads
  runs: Runs
  rateLimits: RateLimits
}) {
  const { agents, billing, clock, largeBodies, payloads, runs, rateLimits } = context

  /** The first invalid proof and its problem; undefined if the sender has proven itself. */
  async function problemOf({ header, readBody }: InboundRequest, agent: Secrets, demanded: Preset[]) {
    const evidence = { header, readBody, secrets: agents.goodSecretsOf(agent), now: clock.now() }
    for (const wanted of demanded)
      for (const preset of presetsSent(wanted, header)) {
        const message = await problemOfProof(preset, { ...evidence, isBeside: wanted !== demanded[0] })
        if (message !== undefined) return { preset, message }
      }
    return undefined
  }

  async function verify(request: InboundRequest, agent: Agent, demanded: Preset[]): Promise<void> {
    const problem = await problemOf(request, agent, demanded)
    if (problem) await refuseProof(request, problem.preset, problem.message)
  }

  /** Permissions may change while a delivery waits. Only a changed part is computed again. */
  async function recheckSender({ agent, request }: Admitted, now: Recipient): Promise<void> {
    assertThat(now.trigger === 'webhook', 'AGENT_NOT_FOUND')
    assertAccepting(now)
    const hasExpired = now.previousWebhookSecret !== null && agents.previousUntil(now) === null
    if (isSameProof(agent, now) && !hasExpired) return
    const problem = await problemOf(request, now, demandedOfDelivery(now.webhookProof, request.header))
    if (problem) throw proofRefused(problem.preset, problem.message)
  }

  async function refuseProof({ address }: InboundRequest, preset: Preset, message: string): Promise<never> {
    await rateLimits.webhookFailed(address)
    throw proofRefused(preset, message)
  }

  async function receiveInTurn(admitted: Admitted, { body, header, requestId }: Delivery): Promise<Outcome> {
    const { agent, standing } = admitted
    const preset = presets[agent.webhookProof]
    const payload = await payloads.read(body, agent)
    const challenge = challengeIn(preset, payload)
    if (challenge !== undefined) return { challenge }
    if (isPing(preset, header)) return { pong: true }
    const identity = identityOf(preset, header, body, payload)
    const trigger = 'webhook' as const
    const headers = keptHeaders(preset, header)
    const { text, action } = payload
    const request = { agentId: agent.id, trigger, requestId, payload: text, action, headers, ...identity }
    try {
      assertMatches(payload)
      requireCredits(standing)
      await billing.storedBytes.assertStorageLimit(agent.ownerId, standing)
    } catch (refusal) {
      // A repeat gets its receipt even if the schema or the credits have changed. Its sender would otherwise correct
      // the payload and send the event under a new key, and it would run twice.
      return runs.accept.earlierReceipt(request, refusal)
    }
    return runs.accept.one(request, (now) => recheckSender(admitted, now))
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
      if (demanded.includes(signed) && request.header('webhook-id') !== purpose)
        await refuseProof(request, signed, purposeMessage(purpose))
      await verify(request, agent, demanded)
      return agent
    },

    /**
     * Runs all checks that precede parsing the body. Fails as `verifySender` does, with VALIDATION_ERROR (an unreadable
     * signed body), TIER_REQUIRED, PERMISSION_DENIED (the account is suspended), SUBSCRIPTION_PAST_DUE, RATE_LIMITED
     * (the agent's deliveries, a full queue).
     */
    async admit(request: InboundRequest): Promise<Admitted> {
      const agent = await agents.forWebhook(request.agentId)
      await verify(request, agent, demandedOfDelivery(agent.webhookProof, request.header))
      const [standing, depth] = await Promise.all([billing.accountFor(agent), runs.queue.depth(agent.id)])
      assertAccepting(standing)
      requireFeature(standing, 'webhooks')
      requirePaidSubscription(standing)
      if (request.isCounted) await rateLimits.webhook(agent.id)
      runs.queue.assertRoom(depth)
      return { agent, standing, request }
    },

    /**
     * Accepts a delivery: creates a run, or returns the receipt of the run that the same delivery created earlier, even
     * if the schema or the credits have changed since. A test of the address is answered and leaves no trace. Fails
     * with VALIDATION_ERROR (a payload that is not a JSON object, a malformed key, a key used for another body),
     * WEBHOOK_PAYLOAD_INVALID, NO_CREDITS, FEATURE_LIMIT_REACHED (no room for payloads), RATE_LIMITED (the owner's
     * deliveries, a full queue), and as `admit` does if its permission ended meanwhile.
     */
    async receive(admitted: Admitted, delivery: Delivery): Promise<Outcome> {
      const { agent, standing } = admitted
      await rateLimits.delivery(agent.ownerId, standing)
      await rateLimits.inputBytes(agent.ownerId, standing, delivery.body.length)
      return largeBodies.carryOut(agent.ownerId, delivery.body.length, () => receiveInTurn(admitted, delivery))
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

type Secrets = Parameters<Agents['goodSecretsOf']>[0]

const proofRefused = ({ header }: Preset, message: string): CodedError =>
  new CodedError('WEBHOOK_SECRET_INVALID', { message, challenge: ['Webhook', `header="${header}"`] })

function assertAccepting({ isClosing, isSuspended }: Pick<AccountStatus, 'isClosing' | 'isSuspended'>): void {
  assertThat(!isClosing, 'TIER_REQUIRED', { message: closing })
  assertThat(!isSuspended, 'PERMISSION_DENIED', { message: suspended })
}

const proofFields = ['webhookProof', 'webhookSecret', 'previousWebhookSecret'] as const
const isSameProof = (before: Agent, now: Recipient): boolean =>
  proofFields.every((field) => before[field] === now[field])

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
