import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { isTemporalAway, type Temporal } from '../temporal/temporal.ts'
import { createFiller } from './fires/backfill.ts'
import { Schedule } from './schedule.ts'
import type { Schedules } from './schedules.ts'

/** Schedules that one round brings to Temporal, and that it compares. */
const batch = 20

/**
 * How often a schedule is compared, so that with the round it is put right within a minute, and all schedules in Temporal
 * are looked through for orphans. With rounds every two seconds at most ten are compared in a second, so that beyond some
 * 500 each waits its turn for longer: a tenth of a second for each schedule that there is.
 */
const compareMs = 55_000
const listMs = 10 * 60_000
const tellMs = 30_000

/** So long after its return Temporal may answer and still fail, because its namespace or its storage is not there yet. */
const settlingMs = 60_000

/** So long whoever has changed a schedule has time to bring it to Temporal. */
const patienceMs = 3000

/**
 * Keeps Temporal's schedules as the record says, whatever happened between the two: a crash between a commit and its
 * telling, a schedule that was changed or deleted by hand, a Temporal that has lost its storage. One process does so at
 * a time. Every repair is logged with its cause. The ledger is filled by the same rounds, also while Temporal is away.
 */
export function createScheduleReconciler(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  temporal: Temporal
  logger: Logger
  notifications: Notifications
  schedules: Schedules
}) {
  const { database, clock, temporal, logger, schedules } = context
  const filler = createFiller(context)
  // What was compared before this process was there, or before Temporal was away, may have been lost meanwhile.
  let trustedFrom = clock.now()
  let isAway = false
  let settledAt = clock.now()
  const tellNow = every(clock, tellMs)
  const listNow = every(clock, listMs)
  let adopted = false

  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms)

  /** Agents that were scheduled before there were schedules to keep. */
  async function adopt(): Promise<void> {
    const found = await Agent.query(database)
      .where({ trigger: 'scheduled' })
      .whereNull('deletedAt')
      .whereNotExists(Schedule.query(database).whereColumn('schedules.agentId', 'agents.id'))
      .select('id')
    for (const { id } of found) {
      await database.transaction(async (trx) => {
        const agent = await Agent.query(trx).findById(id).forUpdate()
        if (agent) await schedules.noteChange(trx, undefined, agent, clock.now())
      })
    }
  }

  async function unsynced(): Promise<string[]> {
    // One that cannot be synced goes to the end: it must not stand before the others for ever.
    const bindings = { before: ago(patienceMs), batch }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(unsyncedStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function toCompare(): Promise<string[]> {
    const bindings = { before: max(trustedFrom, ago(compareMs)), batch }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(toCompareStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function bring(agentId: string): Promise<unknown> {
    const cause = 'a change had not been brought to it'
    logger.warn({ agentId, repair: 'schedule-unsynced', cause }, 'a schedule is brought to Temporal')
    return schedules.sync(agentId)
  }

  async function compare(agentId: string): Promise<unknown> {
    const { wanted, schedule } = await schedules.read(agentId)
    if (!wanted || !schedule || schedule.syncedGeneration !== schedule.generation) return undefined
    const differences = await temporal.schedules.differences(wanted)
    if (differences.length === 0) return schedules.catchUp(wanted)
    const repair = differences[0] === 'missing' ? 'schedule-missing' : 'schedule-differs'
    const cause =
      repair === 'schedule-missing' ? 'Temporal does not have it' : `it differs in: ${differences.join(', ')}`
    logger.warn({ agentId, repair, cause }, 'a schedule in Temporal is made right')
    return schedules.sync(agentId)
  }

  /** Takes away the schedules of agents that are on record as deleted or not scheduled; others may be somebody else's. */
  async function removeOrphans(): Promise<void> {
    const found = await temporal.schedules.listAgents()
    for (let start = 0; start < found.length; start += 500) {
      const orphans = await Agent.query(database)
        .findByIds(found.slice(start, start + 500))
        .where((agent) => void agent.whereNotNull('deletedAt').orWhereNot({ trigger: 'scheduled' }))
        .select('id')
      for (const { id } of orphans) await alone(id, removeOrphan)
    }
  }

  async function removeOrphan(agentId: string): Promise<void> {
    const { schedule } = await schedules.read(agentId)
    // What Temporal has not been told yet is no orphan.
    if (schedule && schedule.syncedGeneration !== schedule.generation) return
    const cause = 'its agent is deleted or not scheduled'
    // The list is a little out of date.
    if (await schedules.sync(agentId))
      logger.warn({ agentId, repair: 'schedule-orphan', cause }, 'a schedule was removed from Temporal')
  }

  /** One schedule that makes trouble must not keep the round from the others. */
  async function alone(agentId: string, work: (agentId: string) => Promise<unknown>): Promise<void> {
    try {
      await work(agentId)
      await Schedule.query(database).findById(agentId).patch({ checkedAt: clock.now() })
    } catch (error) {
      if (isTemporalAway(error) || clock.now() < settledAt) isAway = true
      logger.warn({ err: error, agentId }, 'a schedule could not be reconciled')
      await Schedule.query(database).findById(agentId).patch({ checkedAt: clock.now() })
    }
  }

  /** What needs Temporal. */
  async function reconcile(): Promise<void> {
    if (!(await temporal.isReachable())) {
      isAway = true
      settledAt = ago(-settlingMs)
      return
    }
    if (isAway) trustedFrom = clock.now()
    isAway = false
    for (const agentId of await unsynced()) await alone(agentId, bring)
    for (const agentId of await toCompare()) await alone(agentId, compare)
    if (listNow()) await removeOrphans()
  }

  async function round(): Promise<void> {
    if (!adopted) await adopt()
    adopted = true
    await filler.fill()
    if (tellNow()) await filler.tellMissed()
    await reconcile()
  }

  return { round, purge: () => filler.purge() }
}

const max = (one: Date, other: Date): Date => (one > other ? one : other)

/** Says true at first, and then once in so many milliseconds. */
function every(clock: Clock, ms: number): () => boolean {
  let next = 0
  return () => {
    const at = clock.now().getTime()
    if (at < next) return false
    next = at + ms
    return true
  }
}

const unsyncedStatement = `
  select agent_id as "agentId" from schedules
   where synced_generation < generation and in_force_since < :before
   order by checked_at nulls first, in_force_since limit :batch`

const toCompareStatement = `
  select s.agent_id as "agentId" from schedules s join agents a on a.id = s.agent_id
   where s.synced_generation = s.generation and a.deleted_at is null and a.trigger = 'scheduled'
     and (s.checked_at is null or s.checked_at < :before)
   order by s.checked_at nulls first limit :batch`
