import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { readStandardWebhooksKey } from '../secrets/standard-webhooks-key.ts'
import { Agent, type AgentWithSites, type WebhookProof } from './agent.ts'
import { newSecret, newWebhookSecret, webhookSecretAt } from './new-secrets.ts'

const previousAt = (id: string) => ({ id, column: 'agents.previous_webhook_secret' })

interface Rotation {
  /** The secret, if the sender created it. Otherwise a new one is generated. */
  secret?: string | undefined
  /** How long the previous secret stays valid; 0 ends it immediately. */
  overlapSeconds: number
}

type WithSecret = Pick<Agent, 'id' | 'webhookSecret'>
type WithSecrets = WithSecret & Pick<Agent, 'previousWebhookSecret' | 'previousWebhookSecretUntil'>

/** The secrets that webhook senders use as proof. After a rotation, the previous one stays valid for an overlap. */
export function createWebhookSecrets(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  get: (ownerId: string, id: string) => Promise<AgentWithSites>
}) {
  const { database, clock, sealing, get } = context

  /** The agent's secret in plain text. */
  const secretOf = (agent: WithSecret): string => sealing.open(agent.webhookSecret, webhookSecretAt(agent.id))

  /** When the previous secret expires; null if none is valid. */
  const previousUntil = ({ previousWebhookSecretUntil: until }: WithSecrets): Date | null =>
    until !== null && until > clock.now() ? until : null

  return {
    secretOf,
    previousUntil,

    /** A new sealed secret for the agent. */
    newSealedSecret: (id: string): string => newWebhookSecret(sealing, id),

    /** Every valid secret, the current one first. */
    goodSecretsOf(agent: WithSecrets): string[] {
      const previous = previousUntil(agent) ? agent.previousWebhookSecret : null
      return [secretOf(agent), ...(previous === null ? [] : [sealing.open(previous, previousAt(agent.id))])]
    },

    /**
     * Replaces the agent's secret. The current one stays valid for the overlap; an older one ends immediately. Fails
     * with AGENT_NOT_FOUND, and VALIDATION_ERROR for a secret that the agent's proof cannot use.
     */
    async rotateSecret({ id, ownerId }: Agent, rotation: Rotation): Promise<AgentWithSites> {
      const { secret = newSecret(), overlapSeconds } = rotation
      await database.transaction(async (trx) => {
        // Locked, because the proof may change at the same time.
        const agent = await Agent.query(trx).findById(id).whereNull('deletedAt').forNoKeyUpdate()
        assertThat(agent?.ownerId === ownerId, 'AGENT_NOT_FOUND')
        assertUsable(agent.webhookProof, secret, { path: 'secret', subject: 'The secret', remedy: '' })
        const now = clock.now()
        const overlaps = overlapSeconds > 0
        await Agent.query(trx)
          .findById(id)
          .patch({
            webhookSecret: sealing.seal(secret, webhookSecretAt(id)),
            previousWebhookSecret: overlaps ? sealing.seal(secretOf(agent), previousAt(id)) : null,
            previousWebhookSecretUntil: overlaps ? new Date(now.getTime() + overlapSeconds * 1000) : null,
            updatedAt: now,
          })
      })
      return get(ownerId, id)
    },

    /** Erases expired previous secrets. Expiry makes them invalid, erased or not. */
    async forgetFormerSecrets(): Promise<void> {
      await Agent.query(database)
        .where('previousWebhookSecretUntil', '<=', clock.now())
        .patch({ previousWebhookSecret: null, previousWebhookSecretUntil: null })
    },

    /** Rejects a proof that the agent's secret does not fit: VALIDATION_ERROR. */
    assertProof(proof: WebhookProof, agent: WithSecret): void {
      const remedy = ` Rotate it first with POST /agents/${agent.id}/rotate-secret.`
      assertUsable(proof, secretOf(agent), { path: 'webhookProof', subject: "The agent's secret", remedy })
    },
  }
}

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

interface Refusal {
  path: string
  subject: string
  remedy: string
}

function assertUsable(proof: WebhookProof, secret: string, { path, subject, remedy }: Refusal): void {
  if (proof !== 'standard-webhooks') return
  const reading = readStandardWebhooksKey(secret)
  if ('key' in reading) return
  const message = `${subject} ${reading.problem}. Standard Webhooks requires 24 to 64 bytes in base64, with or without the prefix "whsec_".${remedy}`
  throw new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }] })
}
