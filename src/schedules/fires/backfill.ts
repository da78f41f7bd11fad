import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { agentPage } from '../../console-pages.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { advance, closeFires, lockSchedule } from './ledger.ts'
import { planOf } from '../plan.ts'
import { quotedName } from '../../names.ts'

/** Agents per round. */
const batch = 20

/** How long after the catch-up window an unrecorded fire counts as missed. Its tick cannot arrive later. */
const graceMs = 60_000

/** The quiet time before an owner is notified, so that one notification covers a whole outage. */
const quietMs = 30_000

/** Rows are kept for a year, and deleted in batches. */
const retentionMs = 365 * 86_400_000
const purgeBatch = 1000

interface Missed {
  agentId: string
  ownerId: string
  name: string
  count: number
  /** How many were skipped for lack of credits. */
  unpaid: number
  first: Date
  last: Date
}

/**
 * Keeps the ledger complete: every nominal fire gets its row, even if nothing reported it. Only one process may run it
 * at a time.
 */
export function createBackfill(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  metrics: Pick<Metrics, 'fires'>
  notifications: Notifications
}) {
  const { database, clock, config, notifications, metrics } = context
  const closeBefore = (now: Date): Date => new Date(now.getTime() - config.scheduleCatchUpSeconds * 1000 - graceMs)

  async function due(now: Date): Promise<string[]> {
    const bindings = { now, before: closeBefore(now), batch }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(dueStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function closeOne(trx: Transaction, agentId: string): Promise<void> {
    const { agent, schedule } = await lockSchedule(trx, agentId)
    const plan = planOf(agent)
    if (!agent || !schedule || !plan) return
    const now = clock.now()
    // A paused agent's fires will not arrive; others still may.
    const close = agent.pausedAt
      ? { until: now, reason: 'PAUSED' as const }
      : { until: closeBefore(now), reason: 'NOT_FIRED' as const }
    await closeFires(trx, schedule, plan, { ...close, now, metrics })
    await advance(trx, schedule, plan, now)
  }

  /** Excludes agents whose owners were notified today: there may be thousands, and this query runs often. */
  async function missedUnnotified(now: Date): Promise<Missed[]> {
    const day = dayOf(now)
    const bindings = { day, from: `${day}T00:00:00Z`, before: new Date(now.getTime() - quietMs) }
    const { rows } = await database.raw<{ rows: Missed[] }>(missedStatement, bindings)
    return rows
  }

  return {
    /** Records fires that did not run. */
    async recordUnreported(): Promise<void> {
      for (const agentId of await due(clock.now())) await database.transaction((trx) => closeOne(trx, agentId))
    },

    /**
     * Notifies owners of fires that were missed, or skipped for lack of credits, once per agent and day (UTC). Effects
     * of owners' own actions (a pause, a change, a long run) appear in the ledger only.
     */
    async notifyMissed(): Promise<void> {
      const now = clock.now()
      for (const missed of await missedUnnotified(now)) {
        await database.transaction((trx) => notifications.notify(trx, notificationOf(missed, dayOf(now))))
      }
    },

    /** Deletes one batch of rows that are older than a year. */
    async purge(): Promise<void> {
      await database.raw(purgeStatement, { before: new Date(clock.now().getTime() - retentionMs), purgeBatch })
    },
  }
}

/** The day (UTC), extended until fires missed at its very end have been notified. */
const dayOf = (now: Date): string => new Date(now.getTime() - 3 * quietMs).toISOString().slice(0, 10)

function notificationOf({ agentId, ownerId, name, count, unpaid, first, last }: Missed, day: string) {
  const [from, until] = [first, last].map((at) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`)
  const which = count === 1 ? `The run scheduled for ${from}` : `${count} runs scheduled from ${from} to ${until}`
  const runs = count === 1 ? 'a run' : `${count} runs`
  const next = unpaid > 0 ? 'The schedule continues when you have credits again' : 'The next run starts as planned'
  return {
    ownerId,
    kind: 'schedule_missed' as const,
    subjectId: agentId,
    key: day,
    consolePage: agentPage(agentId),
    title: `A schedule missed ${runs}${unpaid === count ? ' for lack of credits' : ''}: agent ${quotedName(name)}`,
    message: `${which} for the agent ${quotedName(name)} did not start${reasonIfUnpaid(count, unpaid)}. Missed runs are not started later. ${next}. GET /agents/${agentId}/fires shows the reasons. You get this notification at most once a day.`,
  }
}

function reasonIfUnpaid(count: number, unpaid: number): string {
  if (unpaid === 0) return ''
  return `${unpaid === count ? '' : `, ${unpaid} of them`} because you had no credits left`
}

const dueStatement = `
  select s.agent_id as "agentId" from schedules s join agents a on a.id = s.agent_id
   where s.next_fire_at <= :now and a.deleted_at is null and a.trigger = 'scheduled'
     and (a.paused_at is not null or s.next_fire_at <= :before)
   order by s.next_fire_at limit :batch`

const missedStatement = `
  select a.id as "agentId", a.owner_id as "ownerId", a.name, count(*)::int as count,
         count(*) filter (where f.reason = 'NO_CREDITS')::int as unpaid,
         min(f.nominal_at) as first, max(f.nominal_at) as last
    from schedule_fires f join agents a on a.id = f.agent_id
   where f.recorded_at >= :from and f.owner_id = a.owner_id and f.reason in ('LATE', 'NOT_FIRED', 'NO_CREDITS')
     and not exists (select 1 from notifications n
                      where n.owner_id = a.owner_id and n.kind = 'schedule_missed'
                        and n.subject_id = a.id and n.dedupe_key = :day)
   group by a.id having max(f.recorded_at) < :before`

const purgeStatement = `
  delete from schedule_fires where ctid in
    (select ctid from schedule_fires where recorded_at < :before order by recorded_at limit :purgeBatch)`
