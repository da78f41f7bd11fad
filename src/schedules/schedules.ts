import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Temporal } from '../temporal/temporal.ts'
import type { WantedSchedule } from '../temporal/schedules.ts'
import { toCalendars } from './cron/calendars.ts'
import { noteChange } from './note-change.ts'
import { planOf, type Plan, type ScheduledAgent } from './plan.ts'
import { createReadSchedules } from './read-schedules.ts'
import { Schedule } from './schedule.ts'

/** Attempts of one sync while the schedule keeps changing. After that, the reconciler continues. */
const maxAttempts = 5

/**
 * The schedules of agents: the record, and its sync to Temporal. Holds no lock during a call to Temporal. Every change
 * raises the generation, and a sync that sent an older one starts again.
 */
export function createSchedules(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  temporal: Pick<Temporal, 'schedules'>
  logger: Logger
  metrics: Pick<Metrics, 'fires'>
}) {
  const { database, clock, config, temporal, logger, metrics } = context
  const underway = new Set<Promise<void>>()

  async function read(agentId: string) {
    // The schedule first: in the other order, a new generation could be paired with an old state of the agent.
    const schedule = await Schedule.query(database).findById(agentId)
    const agent = await Agent.query(database).findById(agentId)
    const plan = planOf(agent)
    const wanted = agent && schedule && plan ? wantedOf(agent, schedule, plan) : undefined
    return { agent, schedule, wanted }
  }

  const wantedOf = (agent: Agent, { generation }: Schedule, { cron, timeZone }: Plan): WantedSchedule => ({
    agentId: agent.id,
    ownerId: agent.ownerId,
    agentName: agent.name,
    generation,
    calendars: toCalendars(cron, timeZone),
    paused: agent.pausedAt !== null,
    catchUpSeconds: config.scheduleCatchUpSeconds,
  })

  /** Makes Temporal match the record. True if that removed a schedule. Throws Temporal's errors. */
  async function sync(agentId: string): Promise<boolean> {
    try {
      return await syncUntilCurrent(agentId)
    } catch (error) {
      await markUnsynced(agentId)
      throw error
    }
  }

  async function syncUntilCurrent(agentId: string): Promise<boolean> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { schedule, wanted } = await read(agentId)
      const removed = wanted ? await temporal.schedules.put(wanted) : await temporal.schedules.remove(agentId)
      if (schedule && !(await markSynced(schedule))) continue
      if (wanted) await catchUp(wanted)
      return removed
    }
    await markUnsynced(agentId)
    return false
  }

  /** The last state sent may have overwritten another process's newer one; the reconciler must sync again. */
  async function markUnsynced(agentId: string): Promise<void> {
    await Schedule.query(database).findById(agentId).patch({ syncedGeneration: 0 })
  }

  /** False if the schedule has changed since it was read. */
  async function markSynced({ agentId, generation }: Schedule): Promise<boolean> {
    const changes = { syncedGeneration: generation, checkedAt: clock.now() }
    return (await Schedule.query(database).where({ agentId, generation }).patch(changes)) > 0
  }

  /**
   * Makes Temporal backfill fires of the catch-up window that are not in the ledger, because it does not catch up on
   * fires before a schedule's last change. A fire that Temporal starts twice is recorded once.
   */
  async function catchUp({ agentId, paused }: WantedSchedule): Promise<void> {
    const now = clock.now()
    const schedule = await Schedule.query(database).findById(agentId)
    if (paused || !schedule?.nextFireAt || schedule.nextFireAt > now) return
    const earliest = new Date(now.getTime() - config.scheduleCatchUpSeconds * 1000)
    const from = schedule.nextFireAt > earliest ? schedule.nextFireAt : earliest
    // If the start is in the same second as a fire, the fire may or may not be included.
    await temporal.schedules.backfill(agentId, new Date(from.getTime() - 1000), now)
  }

  return {
    read,
    sync,
    catchUp,
    ...createReadSchedules(context),

    /** Records a change of an agent in its transaction; see note-change.ts. True if `syncSoon` must follow. */
    noteChange: (
      trx: Transaction,
      before: ScheduledAgent | undefined,
      after: ScheduledAgent,
      now: Date,
    ): Promise<boolean> =>
      noteChange(trx, before, after, { now, catchUpMs: config.scheduleCatchUpSeconds * 1000, metrics }),

    /** Syncs in the background. The reconciler repeats what fails. */
    syncSoon(agentId: string): void {
      const syncing = sync(agentId)
        .then(() => undefined)
        .catch((error: unknown) => logger.warn({ err: error, agentId }, 'failed to sync the schedule to Temporal'))
        .finally(() => underway.delete(syncing))
      underway.add(syncing)
    },

    /** Resolves when all syncs started by `syncSoon` have ended. */
    settled: async (): Promise<void> => void (await Promise.all(underway)),
  }
}

export type Schedules = ReturnType<typeof createSchedules>
