import type { Transaction } from '../database/database.ts'
import { isFire, firesBetween } from './cron/fire-times.ts'
import { closeFires, nextFireAfter, openAmong, recordUnfired } from './fires/ledger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { planOf, type Plan, type ScheduledAgent } from './plan.ts'
import { Schedule } from './schedule.ts'

/** The time of a change, and how late a fire may start, in milliseconds. Closed fires are counted. */
interface Moment {
  now: Date
  catchUpMs: number
  metrics: Pick<Metrics, 'fires'>
}

/**
 * Records that an agent was created, changed or deleted, in the transaction that holds the lock of its row. Raises the
 * generation, and updates the ledger of fires that the old state still owed. Fires that the new state shares stay open
 * while they are not too late. The others get their rows now, because they cannot run any more. `before` is undefined
 * for a new agent. True if Temporal needs a sync.
 */
export async function noteChange(
  trx: Transaction,
  before: ScheduledAgent | undefined,
  after: ScheduledAgent,
  moment: Moment,
): Promise<boolean> {
  if (syncedState(before) === syncedState(after)) return false
  const { now } = moment
  const schedule = await Schedule.query(trx).findById(after.id).forUpdate()
  const plan = planOf(after)
  const owed = schedule && before ? await closeOwed(trx, schedule, { before, plan, ...moment }) : []
  const nextFireAt = owed[0] ?? (plan ? nextFireAfter(plan, now) : null)
  const state = { inForceSince: now, recordedUntil: now, owed, nextFireAt, checkedAt: null }
  if (schedule) {
    const generation = schedule.generation + 1
    await Schedule.query(trx)
      .findById(after.id)
      .patch({ ...state, generation })
  } else {
    await Schedule.query(trx).insert({ agentId: after.id, generation: 1, syncedGeneration: 0, ...state })
  }
  return true
}

/** A change, the state before it, and the plan after it, if any. */
interface Change extends Moment {
  before: ScheduledAgent
  plan: Plan | undefined
}

/** Records fires of the old state that cannot run any more. Returns the fires that stay open, ascending. */
async function closeOwed(trx: Transaction, schedule: Schedule, change: Change): Promise<Date[]> {
  const { before, now, metrics } = change
  const oldPlan = planOf(before)
  if (!oldPlan) return []
  await closeLate(trx, schedule, oldPlan, change)
  const due = firesBetween(oldPlan.cron, oldPlan.timeZone, schedule.recordedUntil, now, Infinity)
  const open = await openAmong(trx, schedule.agentId, [...schedule.owed, ...due])
  const lost = open.filter((fire) => !remainsDue(fire, change))
  await recordUnfired(trx, schedule.agentId, lost, { reason: before.pausedAt ? 'PAUSED' : 'CHANGED', now, metrics })
  return open.filter((fire) => remainsDue(fire, change))
}

/** Fires that were already too late have an earlier cause than the change. */
async function closeLate(trx: Transaction, schedule: Schedule, oldPlan: Plan, change: Change): Promise<void> {
  const { before, plan, now, catchUpMs, metrics } = change
  const until = new Date(now.getTime() - catchUpMs)
  const notFired = plan ? 'NOT_FIRED' : 'CHANGED'
  const reason = before.pausedAt ? 'PAUSED' : notFired
  // If the ledger loop was down, there may be more fires than one batch.
  do await closeFires(trx, schedule, oldPlan, { until, reason, now, metrics })
  while (schedule.recordedUntil < until)
}

/** Whether the new state also has a fire of the old one. Fires that came due during a pause are not backfilled. */
function remainsDue(fire: Date, { before, plan }: Change): boolean {
  if (!plan || (before.pausedAt && fire > before.pausedAt)) return false
  return isFire(plan.cron, plan.timeZone, fire)
}

/** What Temporal must know of an agent, as text. Equal texts need no sync. */
function syncedState(agent: ScheduledAgent | undefined): string {
  if (!agent || agent.deletedAt || agent.trigger !== 'scheduled') return 'none'
  return JSON.stringify([agent.cron, agent.timeZone, agent.pausedAt !== null, agent.ownerId])
}
