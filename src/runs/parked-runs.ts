import { isGrantDueSql } from '../billing/account.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database.ts'
import { toolIsTaken } from './taken-tools.ts'

const batch = 50

/**
 * Runs that wait for their owner: found when what they wait for has come. Their wait is over from then on: should there
 * be nobody to be told so, because Temporal has lost them, they are found standing still like any other.
 */
export function createParkedRuns({ database, clock, billing }: { database: Database; clock: Clock; billing: Billing }) {
  /** Calls whose site is connected again, or gone, or taken from their agent, are not parked any longer. */
  async function freeCalls(): Promise<void> {
    await database.raw(
      `update tool_calls c set wait_cause = null
        where wait_cause = 'credential' and status in ('planned', 'started')
          and (not exists (select 1 from vault_entries e where e.id = c.vault_entry_id and e.status <> 'connected')
               or (${toolIsTaken}))`,
    )
  }

  /** The first look in a month makes the month's grant, which whoever waits for credits may be waiting for. */
  async function lookAtAccounts(): Promise<void> {
    const { rows } = await database.raw<{ rows: { owner_id: string }[] }>(
      `select distinct r.owner_id from runs r join accounts b on b.owner_id = r.owner_id
        where r.status = 'waiting' and r.waiting_cause = 'credits'
          and ${isGrantDueSql} limit :batch`,
      { now: clock.now(), batch },
    )
    for (const { owner_id: ownerId } of rows) await billing.account(ownerId)
  }

  return {
    /** Ends the waits that are over, and returns the runs that are to be told. */
    async release(): Promise<{ id: string }[]> {
      await freeCalls()
      await lookAtAccounts()
      const now = clock.now()
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `update runs set waiting_until = least(waiting_until, ?) where id in (
           select r.id from runs r
            where r.status = 'waiting' and case r.waiting_cause
              when 'credential' then not exists (
                select 1 from tool_calls c
                 where c.run_id = r.id and c.wait_cause = 'credential' and c.status in ('planned', 'started'))
              when 'paused' then not exists (select 1 from agents a where a.id = r.agent_id and a.paused_at is not null)
              when 'credits' then exists (select 1 from accounts b where b.owner_id = r.owner_id and b.balance >= 1)
              else false end
            order by r.waiting_since limit ? for update skip locked)
         returning id`,
        [now, batch],
      )
      return rows
    },
  }
}
