import { Agent } from '../agents/agent.ts'
import type { Transaction } from '../database.ts'
import { fireReasons, type FireReason } from './fire-reasons.ts'
import { firesBetween, nextFires } from './fires.ts'
import type { Plan } from './plan.ts'
import { ScheduleFire } from './schedule-fire.ts'
import { Schedule } from './schedule.ts'

/** How many fires are looked at in one go. */
const batch = 500

/**
 * Locks what a fire is judged by: first the agent, so that what is being changed is waited for, then the schedule. Whoever
 * locks the agent's queue as well does so before. Either may not be there.
 */
export async function lockSchedule(trx: Transaction, agentId: string) {
  const agent = await Agent.query(trx).findById(agentId).forShare()
  const schedule = await Schedule.query(trx).findById(agentId).forUpdate()
  return { agent, schedule }
}

/** The first fire after an instant; null if there is none within years. */
export const nextFireAfter = ({ cron, timeZone }: Plan, after: Date): Date | null =>
  nextFires(cron, timeZone, after, 1)[0] ?? null

/**
 * Records the fires after `recordedUntil` and until `until` (included) that have no row, at most 500, and moves
 * `recordedUntil` on; under the schedule's lock. Returns how many rows it has written.
 */
export async function closeFires(
  trx: Transaction,
  schedule: Schedule,
  plan: Plan,
  { until, reason, now }: { until: Date; reason: FireReason; now: Date },
): Promise<number> {
  const { agentId } = schedule
  const fires = firesBetween(plan.cron, plan.timeZone, schedule.recordedUntil, until, batch)
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `insert into schedule_fires (agent_id, nominal_at, outcome, reason, recorded_at)
     select ?, nominal_at, ?, ?, ? from unnest(?::timestamptz[]) as t (nominal_at)
     on conflict on constraint schedule_fires_pk do nothing returning 1`,
    [agentId, fireReasons[reason].outcome, reason, now, fires],
  )
  schedule.recordedUntil = fires.length === batch ? (fires.at(-1) ?? until) : later(schedule.recordedUntil, until)
  return rows.length
}

/** Moves `recordedUntil` over the fires that have their row, and notes which comes first after them; under the lock. */
export async function moveOn(trx: Transaction, schedule: Schedule, plan: Plan, now: Date): Promise<void> {
  const { agentId, recordedUntil } = schedule
  const recorded = await ScheduleFire.query(trx)
    .where({ agentId })
    .where('nominalAt', '>', recordedUntil)
    .orderBy('nominalAt')
    .limit(batch)
    .select('nominalAt')
  const known = new Set(recorded.map(({ nominalAt }) => nominalAt.getTime()))
  // Temporal's clock may be ahead of ours: what it has fired already counts, too.
  const until = later(now, recorded.at(-1)?.nominalAt ?? now)
  const fires = firesBetween(plan.cron, plan.timeZone, recordedUntil, until, batch)
  const first = fires.findIndex((fire) => !known.has(fire.getTime()))
  const last = (first === -1 ? fires : fires.slice(0, first)).at(-1)
  schedule.recordedUntil = last ?? recordedUntil
  schedule.nextFireAt = nextFireAfter(plan, schedule.recordedUntil)
  const patch = { recordedUntil: schedule.recordedUntil, nextFireAt: schedule.nextFireAt }
  await Schedule.query(trx).findById(agentId).patch(patch)
}

const later = (one: Date, other: Date): Date => (one > other ? one : other)
