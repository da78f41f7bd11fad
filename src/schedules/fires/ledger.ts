import { Agent } from '../../agents/agent.ts'
import { latest } from '../../clock.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Transaction } from '../../database/database.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { fireReasons, type FireReason } from './fire-reasons.ts'
import { firesBetween, nextFires } from '../cron/fire-times.ts'
import type { Plan } from '../plan.ts'
import { ScheduleFire } from './schedule-fire.ts'
import { Schedule } from '../schedule.ts'

/** Fires per batch. */
const batch = 500

/**
 * Locks what decides a fire: first the agent, to wait for changes in progress, then the schedule. A caller that also
 * locks the agent's queue must lock it before. Either may be missing.
 */
export async function lockSchedule(trx: Transaction, agentId: string) {
  const agent = await Agent.query(trx).findById(agentId).forShare()
  const schedule = await Schedule.query(trx).findById(agentId).forUpdate()
  return { agent, schedule }
}

/** The first fire after an instant; null if there is none within fifty years. */
export const nextFireAfter = ({ cron, timeZone }: Plan, after: Date): Date | null =>
  nextFires(cron, timeZone, after, 1)[0] ?? null

/** Why fires did not run, and when that was found. They are counted. */
interface Closing {
  reason: FireReason
  now: Date
  metrics: Pick<Metrics, 'fires'>
}

/**
 * Records fires up to `until` (included) that have no row: the owed ones, and at most 500 after `recordedUntil`.
 * Advances `recordedUntil` in `schedule`; the caller saves it. Needs the schedule's lock.
 */
export async function closeFires(
  trx: Transaction,
  schedule: Schedule,
  plan: Plan,
  { until, ...closing }: Closing & { until: Date },
): Promise<void> {
  const owed = schedule.owed.filter((fire) => fire <= until)
  const fires = firesBetween(plan.cron, plan.timeZone, schedule.recordedUntil, until, batch)
  await recordUnfired(trx, schedule.agentId, [...owed, ...fires], closing)
  schedule.owed = schedule.owed.slice(owed.length)
  schedule.recordedUntil = fires.length === batch ? (fires.at(-1) ?? until) : latest(schedule.recordedUntil, until)
}

/** Inserts rows for fires that did not run; existing rows stay unchanged. */
export async function recordUnfired(
  trx: Transaction,
  agentId: string,
  fires: Date[],
  { reason, now, metrics }: Closing,
): Promise<void> {
  if (fires.length === 0) return
  const { outcome } = fireReasons[reason]
  const { rowCount } = await trx.raw<{ rowCount: number }>(recordStatement, { agentId, outcome, reason, now, fires })
  afterCommit(trx, () => metrics.fires.inc({ outcome }, rowCount))
}

/** The given fires of an agent, ascending, that have no row. */
export async function openAmong(trx: Transaction, agentId: string, fires: Date[]): Promise<Date[]> {
  const [first] = fires
  if (!first) return []
  const recorded = await ScheduleFire.query(trx)
    .where({ agentId })
    .whereBetween('nominalAt', [first, fires.at(-1) ?? first])
    .select('nominalAt')
  const known = new Set(recorded.map(({ nominalAt }) => nominalAt.getTime()))
  return fires.filter((fire) => !known.has(fire.getTime()))
}

/** Advances `recordedUntil` past the fires that have a row, and sets the next open fire. Needs the schedule's lock. */
export async function advance(trx: Transaction, schedule: Schedule, plan: Plan, now: Date): Promise<void> {
  const { agentId, recordedUntil } = schedule
  const recorded = await ScheduleFire.query(trx)
    .where({ agentId })
    .where('nominalAt', '>', recordedUntil)
    .orderBy('nominalAt')
    .limit(batch)
    .select('nominalAt')
  const known = new Set(recorded.map(({ nominalAt }) => nominalAt.getTime()))
  // Temporal's clock may be ahead of ours, so fires that it has started already count too.
  const until = latest(now, recorded.at(-1)?.nominalAt)
  const fires = firesBetween(plan.cron, plan.timeZone, recordedUntil, until, batch)
  const first = fires.findIndex((fire) => !known.has(fire.getTime()))
  const last = (first === -1 ? fires : fires.slice(0, first)).at(-1)
  schedule.recordedUntil = last ?? recordedUntil
  schedule.owed = await openAmong(trx, agentId, schedule.owed)
  schedule.nextFireAt = schedule.owed[0] ?? nextFireAfter(plan, schedule.recordedUntil)
  const { owed, nextFireAt } = schedule
  await Schedule.query(trx).findById(agentId).patch({ recordedUntil: schedule.recordedUntil, owed, nextFireAt })
}

const recordStatement = `
  insert into schedule_fires (agent_id, owner_id, nominal_at, outcome, reason, recorded_at)
  select a.id, a.owner_id, nominal_at, :outcome, :reason, :now
    from agents a, unnest(:fires::timestamptz[]) as t (nominal_at) where a.id = :agentId
  on conflict on constraint schedule_fires_pkey do nothing`
