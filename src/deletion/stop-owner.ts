import { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { later, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Vault } from '../vault/vault.ts'
import { VaultEntry } from '../vault/vault-entry.ts'

/** After this many seconds without progress, a queue whose workflow has not reported that it sleeps counts as gone. */
const sleepsAfter = 60

/** The most things that one turn stops. */
const most = { agents: 20, entries: 5 }

/**
 * Stops all active work of an owner before its rows are deleted. Each thing stops in its usual way, so the reconciler,
 * the schedule sync and the chat loop do the rest.
 */
export function createStopOwner(context: {
  database: Database
  clock: Clock
  agents: Pick<Agents, 'remove'>
  vault: Pick<Vault, 'remove'>
  billing: Pick<Billing, 'paymentMethods' | 'subscriptions'>
}) {
  const { database, clock, agents, vault, billing } = context

  /** Deletes agents as `DELETE /agents/{id}` does. True if more are left. */
  async function stopAgents(ownerId: string): Promise<boolean> {
    const living = await Agent.query(database).where({ ownerId }).whereNull('deletedAt').limit(most.agents)
    for (const agent of living) await agents.remove(agent)
    return living.length === most.agents
  }

  /** Stops the answers in progress as a reader can. */
  async function stopAnswers(ownerId: string): Promise<void> {
    await database.raw(endSessionsStatement, { ownerId, now: clock.now() })
    await database.raw(stopAnswersStatement, { ownerId, now: clock.now() })
  }

  /** Whether a run or an answer is unfinished, or Temporal still has a schedule or a queue. */
  async function isBusy(ownerId: string): Promise<boolean> {
    const asleepSince = later(clock.now(), -sleepsAfter)
    const { rows } = await database.raw<{ rows: [{ isBusy: boolean }] }>(busyStatement, { ownerId, asleepSince })
    return rows[0].isBusy
  }

  /** Revokes credentials at their sites and deletes them. True if more are left. */
  async function dropEntries(ownerId: string, isOver: () => boolean): Promise<boolean> {
    const entries = await VaultEntry.query(database).where({ ownerId }).orderBy('id').limit(most.entries)
    for (const entry of entries) {
      if (isOver()) return true
      await vault.remove(entry, { force: true })
    }
    return entries.length > 0
  }

  /** Ends the subscription immediately, and removes the cards from the payment provider. */
  async function dropCards(ownerId: string): Promise<void> {
    await billing.subscriptions.close(ownerId)
    const cards = await billing.paymentMethods.list(ownerId)
    for (const { id } of cards) await billing.paymentMethods.remove(ownerId, id)
  }

  return { stopAgents, stopAnswers, isBusy, dropEntries, dropCards }
}

const open = 'select from chat_answers a where a.session_id = s.id and a.ended_at is null'

const endSessionsStatement = `
  update sessions s set ended_at = :now where s.owner_id = :ownerId and s.ended_at is null and exists (${open})`

const stopAnswersStatement = `
  update chat_answers a set stop_requested_at = :now from sessions s
   where s.owner_id = :ownerId and a.session_id = s.id and a.ended_at is null and a.stop_requested_at is null
     and a.status in ('queued', 'running')`

const busyStatement = `
  select exists (
           select from agents a join agent_queues q on q.agent_id = a.id left join schedules c on c.agent_id = a.id
            where a.owner_id = :ownerId
              and (q.unfinished > 0 or (q.awake and q.progressed_at > :asleepSince)
                   or c.synced_generation < c.generation))
      or exists (select from sessions s where s.owner_id = :ownerId and exists (${open})) as "isBusy"`
