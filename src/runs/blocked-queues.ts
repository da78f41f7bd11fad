import { isGrantDueSql, isPaidSql } from '../billing/account.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database.ts'
import type { AgentQueueInput } from '../../workflows/messages.ts'
import { lockQueue } from './agent-queue.ts'
import { reasonOfBlock } from './blocked.ts'
import type { WriteEnding } from './end.ts'
import { Run, runFacts } from './run.ts'

const batch = 100

/**
 * Queues that do not start their next run: opened again when nothing keeps them, and emptied when that takes too long.
 * Those of deleted agents are emptied elsewhere.
 */
export function createBlockedQueues(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'queueBlockedSeconds'>
  billing: Billing
  writeEnding: WriteEnding
}) {
  const { database, clock, config, billing, writeEnding } = context

  /**
   * Wakes the queues that may not be blocked any more, and returns whom to signal. Only the next claim decides, so this
   * may be wrong; it looks at the account closely enough not to wake a queue again and again for nothing. `agentId` is
   * for whoever knows that this one is open. A queue that somebody has locked is left for the next time: of two who lock
   * several, in whatever order, each could wait for the other.
   */
  async function open(agentId: string | null = null): Promise<AgentQueueInput[]> {
    const now = clock.now()
    const { rows } = await database.raw<{ rows: AgentQueueInput[] }>(
      `with opened as (
         select q.agent_id, a.owner_id
           from agent_queues q join agents a on a.id = q.agent_id left join accounts b on b.owner_id = a.owner_id
          where q.blocked_cause is not null and not q.awake and q.unfinished > 0 and a.deleted_at is null
            and (q.agent_id = :agentId or :agentId::text is null)
            and case q.blocked_cause
                  when 'paused' then a.paused_at is null
                  when 'tier' then b.tier = any(:tiers)
                  when 'past_due' then ${isPaidSql}
                  -- the claim's look at the account would make the grant
                  else b.balance >= 1 or ${isGrantDueSql}
                end
          order by q.agent_id for update of q skip locked
       )
       update agent_queues q set awake = true, signalled_at = :now, progressed_at = :now
         from opened where q.agent_id = opened.agent_id
       returning q.agent_id as "agentId", opened.owner_id as "ownerId"`,
      { now, agentId, tiers: billing.tiersWith('webhooks') },
    )
    return rows
  }

  async function overdue(): Promise<{ agent_id: string; run_id: string }[]> {
    const { rows } = await database.raw<{ rows: { agent_id: string; run_id: string }[] }>(
      `select q.agent_id, r.id as run_id from agent_queues q
         join agents a on a.id = q.agent_id join runs r on r.agent_id = q.agent_id and r.status = 'queued'
        where q.blocked_cause in ('tier', 'past_due', 'credits') and a.deleted_at is null
          -- apart from each other, so that the runs of a queue which is not blocked for long are not looked at
          and q.blocked_since < :before and r.accepted_at < :before
        order by r.accepted_at limit :batch`,
      { before: new Date(clock.now().getTime() - config.queueBlockedSeconds * 1000), batch },
    )
    return rows
  }

  async function failUnderLock(trx: Transaction, agentId: string, runId: string): Promise<void> {
    const { blockedCause } = await lockQueue(trx, agentId)
    const run = await Run.query(trx).findById(runId).select(runFacts).forUpdate()
    if (!blockedCause || blockedCause === 'paused' || run?.status !== 'queued') return
    await writeEnding(trx, run, { status: 'failed', reason: reasonOfBlock[blockedCause] }, clock.now())
  }

  return {
    open,

    /** Fails the queued runs that have waited for their owner to pay as long as they may. */
    async expire(): Promise<void> {
      for (const { agent_id: agentId, run_id: runId } of await overdue()) {
        await database.transaction((trx) => failUnderLock(trx, agentId, runId))
      }
    },
  }
}
