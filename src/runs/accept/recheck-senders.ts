import { raw } from 'objection'
import { Agent } from '../../agents/agent.ts'
import type { Transaction } from '../../database/database.ts'
import { isCoded, type CodedError } from '../../errors.ts'
import type { AcceptRequest } from './receipt.ts'

/** The current state that permits a delivery. */
export type Recipient = Pick<
  Agent,
  'id' | 'trigger' | 'webhookProof' | 'webhookSecret' | 'previousWebhookSecret' | 'previousWebhookSecretUntil'
> & {
  /** Whether an admin suspended the paying account. */
  isSuspended: boolean
  /** Whether the paying account is to be deleted. */
  isClosing: boolean
}

/** Rechecks a sender's proof. Throws if it is no longer valid. */
export type RecheckSender = (recipient: Recipient) => Promise<void>

interface Delivered {
  request: AcceptRequest
  recheckSender: RecheckSender | undefined
}

/**
 * Deliveries of a batch whose sender is no longer permitted, with the reason. One query for all of them. The caller has
 * locked the agents' rows, so a secret is replaced entirely before or after it.
 */
export async function refusedSenders(trx: Transaction, batch: Delivered[]): Promise<Map<AcceptRequest, CodedError>> {
  const refused = new Map<AcceptRequest, CodedError>()
  const deliveries = batch.filter(({ recheckSender }) => recheckSender !== undefined)
  if (deliveries.length === 0) return refused
  const found = await recipients(trx, [...new Set(deliveries.map(({ request }) => request.agentId))])
  for (const { request, recheckSender } of deliveries) {
    const recipient = found.get(request.agentId)
    await (recipient && recheckSender?.(recipient))?.catch((error: unknown) => {
      if (!isCoded(error)) throw error
      refused.set(request, error)
    })
  }
  return refused
}

async function recipients(trx: Transaction, ids: string[]): Promise<Map<string, Recipient>> {
  const rows = await Agent.query(trx)
    .findByIds(ids)
    .select('id', 'trigger', 'webhookProof', 'webhookSecret', 'previousWebhookSecret', 'previousWebhookSecretUntil')
    .select(
      raw(`exists (select from users u where u.id = ${payer} and u.suspended_at is not null) as is_suspended`),
      raw(`exists (select from deletions d where d.owner_id = ${payer}) as is_closing`),
    )
    .castTo<Recipient[]>()
  return new Map(rows.map((row) => [row.id, row]))
}

const payer = 'coalesce((select w.payer_id from workspaces w where w.id = agents.owner_id), agents.owner_id)'
