import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'

/** Rows that one process takes at a time. */
export const dueBatch = 50

/** An agent taken for a check, and its rows. */
export interface DueAgent {
  agentId: string
  rows: number[]
}

/**
 * When the reconciler must check an agent (table `due_agents`). A transaction that changes a fact that needs action
 * makes the agent due. It only inserts, so it never waits for a lock.
 */
export function createDue(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  return {
    /** Makes the agent due, by default now. */
    async agent(trx: Database | Transaction, agentId: string, at: Date = clock.now()): Promise<void> {
      await trx.raw('insert into due_agents (agent_id, due_at) values (:agentId, :at)', { agentId, at })
    },

    /** After a change of the owner's account: makes all agents that it pays for due if they have unfinished runs. */
    async owner(trx: Transaction, ownerId: string): Promise<void> {
      await trx.raw(ownerStatement, { ownerId, now: clock.now() })
    },

    /** After a change of the vault entry: makes every agent due whose run has a call waiting for it. */
    async vaultEntry(trx: Transaction, entryId: string): Promise<void> {
      await trx.raw(vaultEntryStatement, { entryId, now: clock.now() })
    },

    /**
     * Takes due agents. Their rows become due again after `forSeconds`, in case this process dies before it reschedules
     * them.
     */
    async take(forSeconds: number): Promise<DueAgent[]> {
      const bindings = { now: clock.now(), forSeconds, dueBatch }
      const { rows } = await database.raw<{ rows: { id: number; agentId: string }[] }>(takeStatement, bindings)
      const byAgent = Map.groupBy(rows, ({ agentId }) => agentId)
      return [...byAgent].map(([agentId, taken]) => ({ agentId, rows: taken.map(({ id }) => id) }))
    },

    /** Replaces the rows: each agent is due again at its `nextAt`, or not at all. */
    async reschedule(handled: (DueAgent & { nextAt: Date | null })[]): Promise<void> {
      await database.raw(rescheduleStatement, {
        rows: handled.flatMap(({ rows }) => rows),
        agentIds: handled.map(({ agentId }) => agentId),
        times: handled.map(({ nextAt }) => nextAt),
      })
    },
  }
}

export type Due = ReturnType<typeof createDue>

const ownerStatement = `
  insert into due_agents (agent_id, due_at)
    select q.agent_id, :now from agent_queues q join agents a on a.id = q.agent_id
     where (a.owner_id = :ownerId or a.owner_id in (select id from workspaces where payer_id = :ownerId))
       and q.unfinished > 0`

const vaultEntryStatement = `
  insert into due_agents (agent_id, due_at)
    select distinct q.agent_id, :now::timestamptz
      from vault_entries e
      join agents a on a.owner_id = e.owner_id
      join agent_queues q on q.agent_id = a.id
      join tool_calls c on c.subject_id = q.running_run_id
     where e.id = :entryId and c.vault_entry_id = e.id and c.wait_cause = 'credential'
       and c.status in ('planned', 'started')`

const takeStatement = `
  update due_agents set due_at = :now::timestamptz + make_interval(secs => :forSeconds)
   where id in (select id from due_agents where due_at <= :now order by due_at limit :dueBatch
                   for update skip locked)
  returning id, agent_id as "agentId"`

/** Drops an agent's rows that are due after its next check: they add nothing. */
const rescheduleStatement = `
  with t as (
    select * from unnest(:agentIds::uuid[], :times::timestamptz[]) as t (agent_id, next_at) where next_at is not null
  ), superseded as (
    select d.id from due_agents d join t on t.agent_id = d.agent_id
     where d.due_at >= t.next_at and d.id <> all(:rows::bigint[])
       for update of d skip locked
  ), deleted as (
    delete from due_agents where id = any(:rows::bigint[]) or id in (select id from superseded)
  )
  insert into due_agents (agent_id, due_at) select agent_id, next_at from t`
