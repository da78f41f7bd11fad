import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { standardWebhooksKey } from '../secrets/standard-webhooks-key.ts'
import { Agent, type AgentWithSites, type WebhookProof } from './agent.ts'

const presentAt = (id: string) => ({ id, column: 'agents.webhook_secret' })
const previousAt = (id: string) => ({ id, column: 'agents.previous_webhook_secret' })

/** How a secret is changed. */
interface Rotation {
  /** The sender's own secret, where the sender makes it; otherwise a new one is made. */
  secret?: string | undefined
  /** How long the former secret stays good; 0 ends it at once. */
  overlapSeconds: number
}

type WithSecret = Pick<Agent, 'id' | 'webhookSecret'>
type WithSecrets = WithSecret & Pick<Agent, 'previousWebhookSecret' | 'previousWebhookSecretUntil'>

/**
 * The secrets by which senders of webhooks prove themselves, and their rotation (docs/design.md, "Webhooks, exactly").
 */
export function createWebhookSecrets(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  get: (ownerId: string, id: string) => Promise<AgentWithSites>
}) {
  const { database, clock, sealing, get } = context

  /** The agent's secret in plain. */
  const secretOf = (agent: WithSecret): string => sealing.open(agent.webhookSecret, presentAt(agent.id))

  /** Until when the secret before the present one is good; null when there is none that is. */
  const previousUntil = ({ previousWebhookSecretUntil: until }: WithSecrets): Date | null =>
    until !== null && until > clock.now() ? until : null

  return {
    secretOf,
    previousUntil,

    /** A new secret of the agent, sealed. */
    newSealedSecret: (id: string): string => sealing.seal(newSecret(), presentAt(id)),

    /** Every secret that a sender may use now, the present one first. */
    goodSecretsOf(agent: WithSecrets): string[] {
      const previous = previousUntil(agent) ? agent.previousWebhookSecret : null
      return [secretOf(agent), ...(previous === null ? [] : [sealing.open(previous, previousAt(agent.id))])]
    },

    /**
     * Gives the agent another secret; the present one stays good for the overlap, and one that was still good from the
     * rotation before is not any more. Fails with AGENT_NOT_FOUND, and VALIDATION_ERROR for a secret that the agent's
     * way of proof cannot use.
     */
    async rotateSecret({ id, ownerId }: Agent, rotation: Rotation): Promise<AgentWithSites> {
      const { secret = newSecret(), overlapSeconds } = rotation
      await database.transaction(async (trx) => {
        // Locked, because the way of proof may be changed at the same time.
        const agent = await Agent.query(trx).findById(id).whereNull('deletedAt').forUpdate()
        assertThat(agent, 'AGENT_NOT_FOUND')
        assertUsable(agent.webhookProof, secret, { path: 'secret', message: `The secret must be ${standardForm}.` })
        const now = clock.now()
        const overlaps = overlapSeconds > 0
        await Agent.query(trx)
          .findById(id)
          .patch({
            webhookSecret: sealing.seal(secret, presentAt(id)),
            previousWebhookSecret: overlaps ? sealing.seal(secretOf(agent), previousAt(id)) : null,
            previousWebhookSecretUntil: overlaps ? new Date(now.getTime() + overlapSeconds * 1000) : null,
            updatedAt: now,
          })
      })
      return get(ownerId, id)
    },

    /** Erases former secrets whose time is over. They are not good from that moment on, erased or not. */
    async forgetFormerSecrets(): Promise<void> {
      await Agent.query(database)
        .where('previousWebhookSecretUntil', '<=', clock.now())
        .patch({ previousWebhookSecret: null, previousWebhookSecretUntil: null })
    },

    /** Refuses a way of proof that the agent's secret does not do for: VALIDATION_ERROR. */
    assertProof(proof: WebhookProof, agent: WithSecret): void {
      const message = `The agent's secret is not ${standardForm}. Rotate it first, with POST /agents/${agent.id}/rotate-secret.`
      assertUsable(proof, secretOf(agent), { path: 'webhookProof', message })
    },
  }
}

const standardForm = 'base64 of 24 to 64 bytes, with or without "whsec_" in front, as Standard Webhooks wants it'

/** 32 random bytes in the form that the Standard Webhooks libraries take too. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

function assertUsable(proof: WebhookProof, secret: string, detail: { path: string; message: string }): void {
  if (proof !== 'standard-webhooks' || standardWebhooksKey(secret)) return
  throw new CodedError('VALIDATION_ERROR', { message: detail.message, details: [detail] })
}
