import type { Transaction } from '../database.ts'
import { closeFires, nextFireAfter } from './ledger.ts'
import { planOf, type ScheduledAgent } from './plan.ts'
import { Schedule } from './schedule.ts'

/**
 * Notes that an agent was made, changed or deleted, in the transaction that does so and holds the lock of the agent's
 * row: what Temporal must be told, by raising the generation, and in the ledger the fires that the state before still
 * owed, since they cannot be carried out any more. `before` is undefined for a new agent. True if Temporal must be told.
 */
export async function noteChange(
  trx: Transaction,
  before: ScheduledAgent | undefined,
  after: ScheduledAgent,
  now: Date,
): Promise<boolean> {
  if (telling(before) === telling(after)) return false
  const schedule = await Schedule.query(trx).findById(after.id).forUpdate()
  if (schedule && before) await closeOwed(trx, schedule, before, now)
  const plan = planOf(after)
  const nextFireAt = plan ? nextFireAfter(plan, now) : null
  const state = { inForceSince: now, recordedUntil: now, nextFireAt, checkedAt: null }
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

async function closeOwed(trx: Transaction, schedule: Schedule, before: ScheduledAgent, now: Date): Promise<void> {
  const plan = planOf(before)
  if (!plan) return
  // Twice the most that can be owed by a fire every minute of the filler's being away for eight hours.
  for (let round = 0; round < 2; round += 1) {
    await closeFires(trx, schedule, plan, { until: now, reason: before.pausedAt ? 'PAUSED' : 'CHANGED', now })
  }
}

/** What Temporal must know of an agent, as text; two agents' states with the same need no telling. */
function telling(agent: ScheduledAgent | undefined): string {
  if (!agent || agent.deletedAt || agent.trigger !== 'scheduled') return 'none'
  return JSON.stringify([agent.cron, agent.timeZone, agent.pausedAt !== null])
}
