import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database.ts'
import type { Lease } from '../lease.ts'
import type { Logger } from '../logger.ts'
import type { Temporal } from '../temporal.ts'
import type { AgentQueueInput } from '../../workflows/messages.ts'
import type { Runs } from './runs.ts'

/** How many stalled agents are woken in one sweep; the rest follow in the next. */
const batch = 50

interface Stalled {
  agent_id: string
  owner_id: string
  running_run_id: string | null
  stalled_seconds: number
}

/**
 * Wakes agents that have something to do and make no progress: their wake-up was lost (a crash between commit and
 * signal, Temporal away, its storage gone). One process sweeps at a time. An agent that goes on making none is woken at
 * growing intervals, because a long model call looks the same from here and signals are not free. Queues that are not
 * blocked any more are opened, and runs go on whose owner has done what they wait for. What deletions of agents have left
 * to be cancelled is cancelled, which needs nobody but Postgres.
 */
export function createSweeper(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  lease: Lease
  logger: Logger
  runs: Pick<Runs, 'blockedQueues' | 'deletedAgents' | 'parkedRuns'>
}) {
  const { database, clock, config, temporal, lease, logger, runs } = context

  async function takeStalled(): Promise<Stalled[]> {
    const now = clock.now()
    const { rows } = await database.raw<{ rows: Stalled[] }>(
      `with busy as (
         -- a run that waits is left alone, but for a look every five minutes: all that Temporal knew may be lost
         select q.agent_id, greatest(q.progressed_at, r.progressed_at) as progressed_at,
                case when r.waiting_until > ?::timestamptz then 300 else ?::float8 end as patience
           from agent_queues q
           -- the run under way, by the index that knows only such runs
           left join runs r on r.agent_id = q.agent_id and r.status in ('running', 'waiting')
          where q.awake
       ), stalled as (
         select q.agent_id, extract(epoch from ?::timestamptz - busy.progressed_at)::int as stalled_seconds
           from busy join agent_queues q on q.agent_id = busy.agent_id
          where busy.progressed_at < ?::timestamptz - make_interval(secs => busy.patience)
            and q.signalled_at <= ?::timestamptz
                - greatest(make_interval(secs => busy.patience),
                           least(q.signalled_at - busy.progressed_at, interval '30 seconds'))
          -- a row that somebody has locked is making progress
          order by busy.progressed_at limit ? for update of q skip locked
       )
       update agent_queues q set signalled_at = ?, awake = true
         from stalled s, agents a where q.agent_id = s.agent_id and a.id = q.agent_id
       returning q.agent_id, a.owner_id, q.running_run_id, s.stalled_seconds`,
      [now, config.sweep.stallSeconds, now, now, now, batch, now],
    )
    return rows
  }

  async function sweep(): Promise<void> {
    if (!(await lease.hold('sweeper', config.sweep.everySeconds * 5))) return
    await runs.deletedAgents.cancelRuns()
    // A wake-up that cannot arrive must not count, or the next would come later than it could.
    if (!(await temporal.isReachable())) return
    await Promise.all((await takeStalled()).map(wake))
    await runs.blockedQueues.expire()
    await Promise.all((await runs.blockedQueues.open()).map(wakeOpen))
    await Promise.all((await runs.parkedRuns.release()).map(resume))
  }

  /** On its own: one agent that cannot be woken must not keep the sweep from the others. */
  async function wake({ agent_id: agentId, owner_id: ownerId, stalled_seconds: stalledSeconds, ...stalled }: Stalled) {
    // A run that is under way is most likely in a long call.
    const level = stalled.running_run_id === null ? 'info' : 'debug'
    logger[level]({ agentId, stalledSeconds }, 'waking an agent that makes no progress')
    await temporal
      .wakeAgent({ agentId, ownerId })
      .catch((error: unknown) => logger.warn({ err: error, agentId }, 'the queue was not woken'))
  }

  const wakeOpen = ({ agentId, ownerId }: AgentQueueInput): Promise<void> =>
    temporal
      .wakeAgent({ agentId, ownerId })
      .catch((error: unknown) => logger.warn({ err: error, agentId }, 'the queue was not woken'))

  const resume = ({ id: runId }: { id: string }): Promise<void> =>
    temporal.resumeRun(runId).catch((error: unknown) => logger.warn({ err: error, runId }, 'the run was not resumed'))

  return { sweep }
}
