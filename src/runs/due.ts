import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'

/** Rows that one process takes at a time. */
export const dueBatch = 50

/** An agent that was taken, and the rows that asked for it. */
export interface DueAgent {
  agentId: string
  rows: number[]
}

/**
 * When the reconciler is to look at an agent (table `due_agents`). Whoever changes a fact that needs action records it in
 * the same transaction. These are inserts only, which wait for no lock, so they can be made anywhere in a transaction.
 */
export function createDue(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  return {
    /** The agent is due, at once unless a time is given. */
    async agent(trx: Database | Transaction, agentId: string, at: Date = clock.now()): Promise<void> {
      await trx.raw('insert into due_agents (agent_id, due_at) values (:agentId, :at)', { agentId, at })
    },

    /** The owner's account has changed: every agent of theirs that has unfinished runs is due. */
    async owner(trx: Transaction, ownerId: string): Promise<void> {
      await trx.raw(ownerStatement, { ownerId, now: clock.now() })
    },

    /** The vault entry has changed: every agent is due whose run has a call that waits for it. */
    async vaultEntry(trx: Transaction, entryId: string): Promise<void> {
      await trx.raw(vaultEntryStatement, { entryId, now: clock.now() })
    },

    /**
     * Takes agents that are due. Their rows stay, and are due again after `forSeconds` unless they are settled before:
     * this process may be killed meanwhile.
     */
    async take(forSeconds: number): Promise<DueAgent[]> {
      const bindings = { now: clock.now(), forSeconds, dueBatch }
      const { rows } = await database.raw<{ rows: { id: number; agentId: string }[] }>(takeStatement, bindings)
      const byAgent = Map.groupBy(rows, ({ agentId }) => agentId)
      return [...byAgent].map(([agentId, taken]) => ({ agentId, rows: taken.map(({ id }) => id) }))
    },

    /** The rows have been answered: each agent is due again at the given time, or not at all. */
    async settle(answered: (DueAgent & { nextAt: Date | null })[]): Promise<void> {
      await database.raw(settleStatement, {
        rows: answered.flatMap(({ rows }) => rows),
        agentIds: answered.map(({ agentId }) => agentId),
        times: answered.map(({ nextAt }) => nextAt),
      })
    },
  }
}

export type Due = ReturnType<typeof createDue>

const ownerStatement = `
  insert into due_agents (agent_id, due_at)
    select q.agent_id, :now from agent_queues q join agents a on a.id = q.agent_id
     where a.owner_id = :ownerId and q.unfinished > 0`

const vaultEntryStatement = `
  insert into due_agents (agent_id, due_at)
    select distinct r.agent_id, :now::timestamptz from tool_calls c join runs r on r.id = c.run_id
     where c.vault_entry_id = :entryId and c.wait_cause = 'credential' and c.status in ('planned', 'started')`

const takeStatement = `
  update due_agents set due_at = :now::timestamptz + make_interval(secs => :forSeconds)
   where id in (select id from due_agents where due_at <= :now order by due_at limit :dueBatch
                   for update skip locked)
  returning id, agent_id as "agentId"`

const settleStatement = `
  with answered as (delete from due_agents where id = any(:rows::bigint[]))
  insert into due_agents (agent_id, due_at)
    select agent_id, next_at from unnest(:agentIds::text[], :times::timestamptz[]) as t (agent_id, next_at)
     where next_at is not null`
