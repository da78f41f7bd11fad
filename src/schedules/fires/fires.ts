import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { AgentQueue } from '../../runs/agent-queue.ts'
import type { Runs } from '../../runs/runs.ts'
import type { FireOutcome } from '../../../workflows/messages.ts'
import { fireReasons, type FireReason } from './fire-reasons.ts'
import { isFire } from '../cron/fire-times.ts'
import { lockSchedule, moveOn } from './ledger.ts'
import { planOf, type Plan } from '../plan.ts'
import { ScheduleFire } from './schedule-fire.ts'
import { Schedule } from '../schedule.ts'
import type { Schedules } from '../schedules.ts'

/** A fire as it arrives: of which agent, under which state of its schedule, for which time. */
interface Fired {
  agentId: string
  generation: number
  nominalAt: Date
  /** What the run that comes of it was asked for by. */
  requestId: string
}

/**
 * How far Temporal's clock may be ahead of ours. What is farther ahead has not come: somebody has started it by hand (a
 * backfill of times to come), and its own time must find it open. Temporal then does not start the same workflow id again
 * of itself, but the reconciler's `catchUp` has it do so within a minute.
 */
const clockSkewMs = 60_000

/** What came of a fire, and what is left to do when that is committed. */
interface Judgement {
  outcome: FireOutcome
  afterwards?: () => void
}

/** A fire with all that it is judged by, locked. */
interface Case {
  trx: Transaction
  fired: Fired
  agent: Agent
  schedule: Schedule
  plan: Plan
  now: Date
}

/**
 * Carries out fires (docs/design.md, "Cron"): each nominal time has one row in the ledger and one run at most, however
 * often and by whomever the fire is reported. All in one transaction under the queue's lock.
 */
export function createFires(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  logger: Logger
  runs: { accept: Pick<Runs['accept'], 'within'> }
  billing: Billing
  schedules: Pick<Schedules, 'syncSoon'>
}) {
  const { database, clock, config, logger, runs, billing, schedules } = context

  async function judge(trx: Transaction, fired: Fired): Promise<Judgement> {
    const { agentId, generation, nominalAt } = fired
    if (!(await AgentQueue.query(trx).findById(agentId).forUpdate())) return gone(fired)
    const { agent, schedule } = await lockSchedule(trx, agentId)
    const known = await ScheduleFire.query(trx).findOne({ agentId, nominalAt })
    if (known) return { outcome: known.outcome }
    const plan = planOf(agent)
    if (!agent || !schedule || !plan) return gone(fired)
    const now = clock.now()
    const isOlder = generation < schedule.generation
    if (isOlder) await noteOlder(trx, fired)
    // Temporal is told of more times than there are fires (see calendars.ts); and what was due before the present state
    // of the schedule was in force is closed already, unless it is owed. Under which state Temporal has started it does
    // not matter: after a change at the very minute it may not start it again under the new one.
    if (hasCome(nominalAt, now) && isOpen(schedule, nominalAt) && isFire(plan.cron, plan.timeZone, nominalAt)) {
      return settle({ trx, fired, agent, schedule, plan, now })
    }
    return { outcome: isOlder ? 'stale' : 'none' }
  }

  async function settle(the: Case): Promise<Judgement> {
    const reason = await reasonNotTo(the)
    if (reason) return write(the, reason, null)
    const { receipt, wake } = await runs.accept.within(the.trx, {
      agentId: the.agent.id,
      trigger: 'scheduled',
      requestId: the.fired.requestId,
      // Nobody else's key has a blank in it. The ledger alone would do; this holds even if it did not.
      idempotencyKey: `cron ${the.fired.nominalAt.toISOString()}`,
      skipUnlessIdle: true,
    })
    const reasonAfter = receipt.status === 'skipped' ? 'OVERLAP' : null
    return { ...(await write(the, reasonAfter, receipt.runId)), afterwards: wake }
  }

  async function reasonNotTo({ trx, fired, agent, now }: Case): Promise<FireReason | undefined> {
    if (agent.pausedAt) return 'PAUSED'
    if (now.getTime() - fired.nominalAt.getTime() > config.scheduleCatchUpSeconds * 1000) return 'LATE'
    const { balance } = await billing.account(agent.ownerId, trx)
    return balance < 1 ? 'NO_CREDITS' : undefined
  }

  async function write(the: Case, reason: FireReason | null, runId: string | null): Promise<Judgement> {
    const { trx, fired, schedule, plan, now } = the
    const { agentId, nominalAt } = fired
    const outcome = reason === null ? 'ran' : fireReasons[reason].outcome
    await ScheduleFire.query(trx).insert({ agentId, nominalAt, outcome, reason, runId, recordedAt: now })
    // In the ordinary case nothing is open behind it, and the filler never has to look at this schedule.
    if (schedule.nextFireAt && nominalAt <= schedule.nextFireAt) await moveOn(trx, schedule, plan, now)
    return { outcome }
  }

  /** Why Temporal still had an older state is looked into. */
  async function noteOlder(trx: Transaction, { agentId, generation }: Fired): Promise<void> {
    await Schedule.query(trx).findById(agentId).patch({ checkedAt: null })
    logger.info({ agentId, generation }, 'Temporal has fired an older state of a schedule')
  }

  /** Temporal has a schedule that it should not have: of an agent that is deleted, not scheduled, or was never there. */
  function gone({ agentId }: Fired): Judgement {
    const cause = 'it fired for an agent that is not scheduled'
    logger.warn({ agentId, repair: 'schedule-orphan', cause }, 'a schedule is removed from Temporal')
    return { outcome: 'gone', afterwards: () => schedules.syncSoon(agentId) }
  }

  return {
    /** Puts a fire on record, and accepts a run if there is to be one; asked again, it answers from the record. */
    async recordFire(fired: Fired): Promise<FireOutcome> {
      const { outcome, afterwards } = await database.transaction((trx) => judge(trx, fired))
      afterwards?.()
      return outcome
    },
  }
}

const hasCome = (nominalAt: Date, now: Date): boolean => nominalAt.getTime() - now.getTime() <= clockSkewMs

const isOpen = ({ recordedUntil, owed }: Schedule, nominalAt: Date): boolean =>
  nominalAt > recordedUntil || owed.some((fire) => fire.getTime() === nominalAt.getTime())
