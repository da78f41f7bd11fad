import type { Transaction } from '../database/database.ts'
import { isFire, firesBetween } from './cron/fire-times.ts'
import { closeFires, nextFireAfter, openAmong, recordUnfired } from './fires/ledger.ts'
import { planOf, type Plan, type ScheduledAgent } from './plan.ts'
import { Schedule } from './schedule.ts'

/** When a change is made, and how late a fire may be carried out, in milliseconds. */
interface Moment {
  now: Date
  catchUpMs: number
}

/**
 * Notes that an agent was made, changed or deleted, in the transaction that does so and holds the lock of the agent's
 * row: what Temporal must be told, by raising the generation, and in the ledger the fires that the state before still
 * owed. Those that the new state has as well stay open while they are not too late; the others get their rows now, since
 * they cannot be carried out any more. `before` is undefined for a new agent. True if Temporal must be told.
 */
export async function noteChange(
  trx: Transaction,
  before: ScheduledAgent | undefined,
  after: ScheduledAgent,
  moment: Moment,
): Promise<boolean> {
  if (telling(before) === telling(after)) return false
  const { now } = moment
  const schedule = await Schedule.query(trx).findById(after.id).forUpdate()
  const plan = planOf(after)
  const owed = schedule && before ? await settleOwed(trx, schedule, { before, plan, ...moment }) : []
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

/** A change as the fires before it see it: who owed them, and the plan that follows, if one does. */
interface Change extends Moment {
  before: ScheduledAgent
  plan: Plan | undefined
}

/** Records what the state before owed and nobody can carry out any more. Returns what stays open, ascending. */
async function settleOwed(trx: Transaction, schedule: Schedule, change: Change): Promise<Date[]> {
  const { before, now } = change
  const former = planOf(before)
  if (!former) return []
  await closeLate(trx, schedule, former, change)
  const due = firesBetween(former.cron, former.timeZone, schedule.recordedUntil, now, Infinity)
  const open = await openAmong(trx, schedule.agentId, [...schedule.owed, ...due])
  const lost = open.filter((fire) => !stays(fire, change))
  await recordUnfired(trx, schedule.agentId, lost, { reason: before.pausedAt ? 'PAUSED' : 'CHANGED', now })
  return open.filter((fire) => stays(fire, change))
}

/** What is too late was lost by what had kept it until now, and not by the change. */
async function closeLate(trx: Transaction, schedule: Schedule, former: Plan, change: Change): Promise<void> {
  const { before, plan, now, catchUpMs } = change
  const until = new Date(now.getTime() - catchUpMs)
  const notFired = plan ? 'NOT_FIRED' : 'CHANGED'
  const reason = before.pausedAt ? 'PAUSED' : notFired
  // The filler may have been away, so that there is more than fits in one go.
  do await closeFires(trx, schedule, former, { until, reason, now })
  while (schedule.recordedUntil < until)
}

/** Whether a fire of the state before is one of the new state as well. What came due during a pause is not made up for. */
function stays(fire: Date, { before, plan }: Change): boolean {
  if (!plan || (before.pausedAt && fire > before.pausedAt)) return false
  return isFire(plan.cron, plan.timeZone, fire)
}

/** What Temporal must know of an agent, as text; two agents' states with the same need no telling. */
function telling(agent: ScheduledAgent | undefined): string {
  if (!agent || agent.deletedAt || agent.trigger !== 'scheduled') return 'none'
  return JSON.stringify([agent.cron, agent.timeZone, agent.pausedAt !== null])
}
