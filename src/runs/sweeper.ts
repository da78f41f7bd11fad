import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database.ts'
import type { Lease } from '../lease.ts'
import type { Logger } from '../logger.ts'
import type { Temporal } from '../temporal.ts'

/** How many stalled agents are woken in one sweep; the rest follow in the next. */
const batch = 50

interface Stalled {
  agent_id: string
  owner_id: string
  stalled_seconds: number
}

/**
 * Wakes agents that have something to do and make no progress: their wake-up was lost (a crash between commit and
 * signal, Temporal away, its storage gone). One process sweeps at a time. An agent that goes on making none is woken at
 * growing intervals, because a long model call looks the same from here and signals are not free.
 */
export function createSweeper(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  lease: Lease
  logger: Logger
}) {
  const { database, clock, config, temporal, lease, logger } = context

  async function takeStalled(): Promise<Stalled[]> {
    const now = clock.now()
    const { rows } = await database.raw<{ rows: Stalled[] }>(
      `with busy as (
         select q.agent_id, greatest(q.progressed_at, r.progressed_at) as progressed_at, q.signalled_at
           from agent_queues q left join runs r on r.id = q.running_run_id
          where q.awake or q.unfinished > 0
       ), stalled as (
         select agent_id, extract(epoch from ?::timestamptz - progressed_at)::int as stalled_seconds from busy
          where progressed_at < ?::timestamptz - make_interval(secs => ?)
            and signalled_at <= ?::timestamptz
                - least(greatest(signalled_at - progressed_at, make_interval(secs => ?)), interval '5 minutes')
          order by progressed_at limit ?
       )
       update agent_queues q set signalled_at = ?, awake = true
         from stalled s, agents a where q.agent_id = s.agent_id and a.id = q.agent_id
       returning q.agent_id, a.owner_id, s.stalled_seconds`,
      [now, now, config.sweep.stallSeconds, now, config.sweep.stallSeconds, batch, now],
    )
    return rows
  }

  async function sweep(): Promise<void> {
    if (!(await lease.hold('sweeper', config.sweep.everySeconds * 5))) return
    for (const { agent_id: agentId, owner_id: ownerId, stalled_seconds: stalledSeconds } of await takeStalled()) {
      logger.info({ agentId, stalledSeconds }, 'waking an agent that makes no progress')
      await temporal.wakeAgent({ agentId, ownerId })
    }
  }

  return { sweep }
}

export type Sweeper = ReturnType<typeof createSweeper>
