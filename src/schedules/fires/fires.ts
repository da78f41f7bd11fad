import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { AgentQueue } from '../../runs/agent-queue.ts'
import type { Runs } from '../../runs/runs.ts'
import { names, spanNames } from '../../tracing/names.ts'
import type { Tracing } from '../../tracing/tracing.ts'
import type { FireOutcome } from '../../../workflows/messages.ts'
import { fireReasons, type FireReason } from './fire-reasons.ts'
import { isFire } from '../cron/fire-times.ts'
import { advance, lockSchedule } from './ledger.ts'
import { planOf, type Plan } from '../plan.ts'
import { ScheduleFire } from './schedule-fire.ts'
import { wasRestoredSince } from '../../backups/restore.ts'
import { Schedule } from '../schedule.ts'
import type { Schedules } from '../schedules.ts'

/** A fire as Temporal reports it. */
interface Fired {
  agentId: string
  generation: number
  nominalAt: Date
  /** The request id of the run that it starts. */
  requestId: string
}

/**
 * How far Temporal's clock may be ahead of ours. A fire further ahead was started manually (a backfill of future times)
 * and must stay open for its own time. Temporal does not start the same workflow id again automatically, but the
 * reconciler's `catchUp` makes it do so within a minute.
 */
const clockSkewMs = 60_000

/** The outcome of a fire, and what to do after the commit. */
interface Decision {
  outcome: FireOutcome
  afterwards?: () => void
}

/** A fire with the locked rows that decide it. */
interface Case {
  trx: Transaction
  fired: Fired
  agent: Agent
  schedule: Schedule
  plan: Plan
  now: Date
}

/**
 * Runs fires (docs/understand/order.md, "Schedules and manual starts"). Each nominal time gets one ledger row and at
 * most one run, however often it is reported. Works in one transaction under the queue's lock.
 */
export function createFires(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  logger: Logger
  metrics: Pick<Metrics, 'repairs' | 'fires'>
  runs: { accept: Pick<Runs['accept'], 'within'> }
  billing: Billing
  schedules: Pick<Schedules, 'syncSoon'>
  tracing: Tracing
}) {
  const { database, clock, config, logger, runs, billing, schedules, metrics, tracing } = context

  async function decide(trx: Transaction, fired: Fired): Promise<Decision> {
    const { agentId, generation, nominalAt } = fired
    if (!(await AgentQueue.query(trx).findById(agentId).forUpdate())) return gone(fired)
    const { agent, schedule } = await lockSchedule(trx, agentId)
    const known = await ScheduleFire.query(trx).findOne({ agentId, nominalAt })
    if (known) return { outcome: known.outcome }
    const plan = planOf(agent)
    if (!agent || !schedule || !plan) return gone(fired)
    const now = clock.now()
    const isOutdated = generation < schedule.generation
    if (isOutdated) await requestComparison(trx, fired)
    // Temporal has more times than there are fires (its calendars are in UTC). Fires before the current state of the
    // schedule are closed unless they are owed. The generation that fired does not matter: if the change came in the
    // same minute, Temporal may not fire again under the new one.
    if (hasCome(nominalAt, now) && isOpen(schedule, nominalAt) && isFire(plan.cron, plan.timeZone, nominalAt)) {
      return carryOut({ trx, fired, agent, schedule, plan, now })
    }
    return { outcome: isOutdated ? 'stale' : 'none' }
  }

  async function carryOut(the: Case): Promise<Decision> {
    const reason = await reasonNotTo(the)
    if (reason) return record(the, reason, null)
    const { receipt, wake } = await runs.accept.within(the.trx, {
      agentId: the.agent.id,
      trigger: 'scheduled',
      requestId: the.fired.requestId,
      // No other key contains a space. The ledger already prevents a second run; this key does so independently.
      idempotencyKey: `cron ${the.fired.nominalAt.toISOString()}`,
      skipUnlessIdle: true,
    })
    const reasonAfter = receipt.status === 'skipped' ? 'OVERLAP' : null
    return { ...(await record(the, reasonAfter, receipt.runId)), afterwards: wake }
  }

  async function reasonNotTo({ trx, fired, agent, now }: Case): Promise<FireReason | undefined> {
    if (agent.pausedAt) return 'PAUSED'
    // Its run may be among what the restore has lost.
    if (await wasRestoredSince(trx, fired.nominalAt)) return 'RESTORED'
    if (now.getTime() - fired.nominalAt.getTime() > config.scheduleCatchUpSeconds * 1000) return 'LATE'
    const { balance, limits, features } = await billing.accountFor(agent, trx)
    if (!features.includes('scheduled')) return 'NO_TIER'
    if (balance < 1) return 'NO_CREDITS'
    return (await billing.storedBytes.isFull(agent.ownerId, limits.storedBytes, trx)) ? 'NO_ROOM' : undefined
  }

  async function record(the: Case, reason: FireReason | null, runId: string | null): Promise<Decision> {
    const { trx, fired, schedule, plan, now } = the
    const { agentId, nominalAt } = fired
    const { ownerId } = the.agent
    const outcome = reason === null ? 'ran' : fireReasons[reason].outcome
    await ScheduleFire.query(trx).insert({ agentId, ownerId, nominalAt, outcome, reason, runId, recordedAt: now })
    afterCommit(trx, () => metrics.fires.inc({ outcome }))
    // Usually no earlier fire is open, so the ledger loop never has to look at this schedule.
    if (schedule.nextFireAt && nominalAt <= schedule.nextFireAt) await advance(trx, schedule, plan, now)
    return { outcome }
  }

  /** Requests a comparison, to find out why Temporal has an older state. */
  async function requestComparison(trx: Transaction, { agentId, generation }: Fired): Promise<void> {
    await Schedule.query(trx).findById(agentId).patch({ checkedAt: null })
    logger.info({ agentId, generation }, 'Temporal fired an outdated schedule')
  }

  /** Temporal has a schedule for an agent that is deleted, not scheduled, or unknown. */
  function gone({ agentId }: Fired): Decision {
    const cause = 'it fired for an agent that is not scheduled'
    metrics.repairs.inc({ kind: 'schedule-orphan' })
    logger.warn({ agentId, repair: 'schedule-orphan', cause }, 'removing a schedule from Temporal')
    return { outcome: 'gone', afterwards: () => schedules.syncSoon(agentId) }
  }

  return {
    /** Records a fire, and accepts its run if one is due. Repeated calls return the recorded outcome. */
    async recordFire(fired: Fired): Promise<FireOutcome> {
      return tracing.inSpan({ name: spanNames.fire, attributes: { [names.agentId]: fired.agentId } }, async (span) => {
        const { outcome, afterwards } = await database.transaction((trx) => decide(trx, fired))
        span.set({ [names.outcome]: outcome })
        afterwards?.()
        return outcome
      })
    },
  }
}

const hasCome = (nominalAt: Date, now: Date): boolean => nominalAt.getTime() - now.getTime() <= clockSkewMs

const isOpen = ({ recordedUntil, owed }: Schedule, nominalAt: Date): boolean =>
  nominalAt > recordedUntil || owed.some((fire) => fire.getTime() === nominalAt.getTime())
