import type { WebhookField, WebhookProof } from '../../agents/agent.ts'
import { AgentVersion } from '../../agents/agent-version.ts'
import type { Database } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import { inputOf } from '../run-input.ts'
import type { Run } from '../run.ts'
import { RunEvent } from '../timeline.ts'

/** What is kept of the delivery that started a run. */
export interface RunDelivery {
  headers: Record<string, string>
  /** As received, or as edited for a replay. */
  body: string
  edited: boolean
  /** What the agent demanded then; null if that version of the agent is no longer kept. */
  judgedBy: { version: number; proof: WebhookProof; schema: WebhookField[] | null } | null
  /** What a repetition is recognised by; null if the sender named the delivery nowhere. `bodyHash`: SHA-256 in hex. */
  identity: { key: string; bodyHash: string | null } | null
}

const notStarted = 'No delivery started this run, so there is none to show.'

/**
 * Reads what accepting a delivery has stored anyway: payload, headers, key, and the agent's versions. Nothing is stored for
 * this alone. Fails with NOT_FOUND (no delivery), RUN_NOT_FOUND (just purged).
 */
export async function readDelivery(database: Database, run: Run): Promise<RunDelivery> {
  assertThat(run.trigger === 'webhook', 'NOT_FOUND', { message: notStarted })
  const [input, accepted, judgedBy, identity] = await Promise.all([
    inputOf(database, run.id),
    RunEvent.query(database).findById([run.id, 1]),
    versionThen(database, run),
    identityOf(database, run),
  ])
  assertThat(input, 'RUN_NOT_FOUND')
  const { payload: body, headers } = input
  return { headers: headers ?? {}, body, edited: accepted?.data['edited'] === true, judgedBy, identity }
}

/** The agent as it was when the run was accepted. An agent has a few hundred versions at most. */
async function versionThen(database: Database, { agentId, acceptedAt }: Run): Promise<RunDelivery['judgedBy']> {
  const found = await AgentVersion.query(database)
    .where({ agentId })
    .where('at', '<=', acceptedAt)
    .orderBy('version', 'desc')
    .first()
  return found ? { version: found.version, proof: found.fields.webhookProof, schema: found.fields.webhookSchema } : null
}

/** A replay has the key of the request for it, which says nothing about the delivery. */
async function identityOf(database: Database, { id: runId, replayOf }: Run): Promise<RunDelivery['identity']> {
  if (replayOf !== null) return null
  const { rows } = await database.raw<{ rows: { key: string; bodyHash: string | null }[] }>(identityStatement, {
    runId,
  })
  return rows[0] ?? null
}

const identityStatement = `
  select key, encode(body_hash, 'hex') as "bodyHash" from idempotency_keys where run_id = :runId`
