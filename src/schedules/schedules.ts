import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Temporal } from '../temporal/temporal.ts'
import type { WantedSchedule } from '../temporal/schedules.ts'
import { toCalendars } from './cron/calendars.ts'
import { noteChange } from './changes.ts'
import { planOf, type Plan, type ScheduledAgent } from './plan.ts'
import { createReadSchedules } from './read-schedules.ts'
import { Schedule } from './schedule.ts'

/** How often a sync begins again because the schedule was changed meanwhile; then the reconciler goes on. */
const mostRounds = 5

/**
 * The schedules of agents: what is on record of them, and Temporal made to have the same. Nothing is locked while
 * Temporal is asked: each change raises the generation, and a sync that has told an older one begins again.
 */
export function createSchedules(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  temporal: Pick<Temporal, 'schedules'>
  logger: Logger
}) {
  const { database, clock, config, temporal, logger } = context
  const underway = new Set<Promise<void>>()

  async function read(agentId: string) {
    // The schedule first: read the other way round, a new generation could be taken for an old state of the agent.
    const schedule = await Schedule.query(database).findById(agentId)
    const agent = await Agent.query(database).findById(agentId)
    const plan = planOf(agent)
    const wanted = agent && schedule && plan ? wantedOf(agent, schedule, plan) : undefined
    return { agent, schedule, wanted }
  }

  const wantedOf = (agent: Agent, { generation }: Schedule, { cron, timeZone }: Plan): WantedSchedule => ({
    agentId: agent.id,
    ownerId: agent.ownerId,
    generation,
    calendars: toCalendars(cron, timeZone),
    paused: agent.pausedAt !== null,
    catchUpSeconds: config.scheduleCatchUpSeconds,
  })

  /**
   * Makes Temporal have what the record says of the agent's schedule; true if there was one to be removed. Throws what
   * Temporal throws.
   */
  async function sync(agentId: string): Promise<boolean> {
    try {
      return await tell(agentId)
    } catch (error) {
      await doubt(agentId)
      throw error
    }
  }

  async function tell(agentId: string): Promise<boolean> {
    for (let round = 0; round < mostRounds; round += 1) {
      const { schedule, wanted } = await read(agentId)
      const removed = wanted ? await temporal.schedules.put(wanted) : await temporal.schedules.remove(agentId)
      if (schedule && !(await markSynced(schedule))) continue
      if (wanted) await catchUp(wanted)
      return removed
    }
    await doubt(agentId)
    return false
  }

  /** What was told last may be an older state, after somebody else's newer one: the reconciler is to tell it again. */
  async function doubt(agentId: string): Promise<void> {
    await Schedule.query(database).findById(agentId).patch({ syncedGeneration: 0 })
  }

  /** False if it was changed meanwhile. */
  async function markSynced({ agentId, generation }: Schedule): Promise<boolean> {
    const changes = { syncedGeneration: generation, checkedAt: clock.now() }
    return (await Schedule.query(database).where({ agentId, generation }).patch(changes)) > 0
  }

  /**
   * Has Temporal fire again what it should have fired within the catch-up window and what is not on record. Temporal does
   * not look back behind the change of a schedule. What it has fired after all is on record or will be, once.
   */
  async function catchUp({ agentId, paused }: WantedSchedule): Promise<void> {
    const now = clock.now()
    const schedule = await Schedule.query(database).findById(agentId)
    if (paused || !schedule?.nextFireAt || schedule.nextFireAt > now) return
    const earliest = new Date(now.getTime() - config.scheduleCatchUpSeconds * 1000)
    const from = schedule.nextFireAt > earliest ? schedule.nextFireAt : earliest
    // Of the same second as a fire, the start may or may not be included.
    await temporal.schedules.backfill(agentId, new Date(from.getTime() - 1000), now)
  }

  return {
    read,
    sync,
    catchUp,
    ...createReadSchedules(context),

    /** Notes a change of an agent in the transaction that makes it; see changes.ts. True if `syncSoon` is to follow. */
    noteChange: (
      trx: Transaction,
      before: ScheduledAgent | undefined,
      after: ScheduledAgent,
      now: Date,
    ): Promise<boolean> => noteChange(trx, before, after, { now, catchUpMs: config.scheduleCatchUpSeconds * 1000 }),

    /** Syncs without making anybody wait. What fails here the reconciler does later. */
    syncSoon(agentId: string): void {
      const syncing = sync(agentId)
        .then(() => undefined)
        .catch((error: unknown) => logger.warn({ err: error, agentId }, 'the schedule was not brought to Temporal'))
        .finally(() => underway.delete(syncing))
      underway.add(syncing)
    },

    /** When nothing that `syncSoon` has begun is under way any more. */
    settled: async (): Promise<void> => void (await Promise.all(underway)),
  }
}

export type Schedules = ReturnType<typeof createSchedules>
