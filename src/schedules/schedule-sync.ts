import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { isTemporalAway, type Temporal } from '../temporal/temporal.ts'
import { createBackfill } from './fires/backfill.ts'
import { Schedule } from './schedule.ts'
import type { Schedules } from './schedules.ts'

/** Schedules to sync, and schedules to compare, per round. */
const batchSize = 20

/**
 * Each schedule is compared every 55 seconds, so that it is repaired within a minute. Temporal is searched for orphans
 * every ten minutes. Rounds every two seconds compare at most ten schedules a second. Beyond some 500 schedules, each
 * waits a tenth of a second per schedule.
 */
const compareMs = 55_000
const listMs = 10 * 60_000
const notifyMs = 30_000

/** How long Temporal may still fail after its return, because its namespace or its storage is not ready. */
const recoveryMs = 60_000

/** How long the process that changed a schedule has to sync it itself. */
const graceMs = 3000

/**
 * Keeps Temporal's schedules in sync with the record after any failure: a crash between a commit and its sync, a
 * schedule changed or deleted manually, a Temporal that lost its storage. One process does this at a time. Every repair
 * is logged with its cause. The same rounds complete the ledger, even while Temporal is away.
 */
export function createScheduleSync(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  temporal: Temporal
  logger: Logger
  metrics: Pick<Metrics, 'repairs' | 'fires'>
  notifications: Notifications
  schedules: Schedules
}) {
  const { database, clock, temporal, logger, schedules, metrics } = context
  const backfill = createBackfill(context)
  // Comparisons from before this process started, or from before Temporal was away, may be outdated.
  let comparedSince = new Date(0)
  let isAway = true
  let recoveredAt = new Date(0)
  const notifyDue = every(clock, notifyMs)
  const listDue = every(clock, listMs)

  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms)

  async function unsynced(): Promise<string[]> {
    // A schedule that cannot be synced goes to the end, so that it does not block the others.
    const bindings = { before: ago(graceMs), batchSize }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(unsyncedStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function toCompare(): Promise<string[]> {
    const bindings = { before: max(comparedSince, ago(compareMs)), batchSize }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(toCompareStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function syncOne(agentId: string): Promise<unknown> {
    const cause = 'a change was not synced'
    metrics.repairs.inc({ kind: 'schedule-unsynced' })
    logger.warn({ agentId, repair: 'schedule-unsynced', cause }, 'syncing a schedule to Temporal')
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
    metrics.repairs.inc({ kind: repair })
    logger.warn({ agentId, repair, cause }, 'repairing a schedule in Temporal')
    return schedules.sync(agentId)
  }

  /** Removes the schedules of deleted or unscheduled agents. Unknown agents may belong to another installation. */
  async function removeOrphans(): Promise<void> {
    const found = await temporal.schedules.listAgents()
    for (let start = 0; start < found.length; start += 500) {
      const orphans = await Agent.query(database)
        .findByIds(found.slice(start, start + 500))
        .where((agent) => void agent.whereNotNull('deletedAt').orWhereNot({ trigger: 'scheduled' }))
        .select('id')
      for (const { id } of orphans) await isolated(id, removeOrphan)
    }
  }

  async function removeOrphan(agentId: string): Promise<void> {
    const { schedule } = await schedules.read(agentId)
    // An unsynced schedule is not an orphan.
    if (schedule && schedule.syncedGeneration !== schedule.generation) return
    const cause = 'its agent is deleted or not scheduled'
    // The list may be slightly outdated.
    if (!(await schedules.sync(agentId))) return
    metrics.repairs.inc({ kind: 'schedule-orphan' })
    logger.warn({ agentId, repair: 'schedule-orphan', cause }, 'removed a schedule from Temporal')
  }

  /** Isolates one schedule, so that its failure does not stop the round. */
  async function isolated(agentId: string, work: (agentId: string) => Promise<unknown>): Promise<void> {
    try {
      await work(agentId)
      await Schedule.query(database).findById(agentId).patch({ checkedAt: clock.now() })
    } catch (error) {
      if (isTemporalAway(error) || clock.now() < recoveredAt) isAway = true
      logger.warn({ err: error, agentId }, 'failed to reconcile a schedule')
      await Schedule.query(database).findById(agentId).patch({ checkedAt: clock.now() })
    }
  }

  async function reconcile(): Promise<void> {
    if (!(await temporal.isReachable())) {
      isAway = true
      recoveredAt = ago(-recoveryMs)
      return
    }
    if (isAway) comparedSince = clock.now()
    isAway = false
    for (const agentId of await unsynced()) await isolated(agentId, syncOne)
    for (const agentId of await toCompare()) await isolated(agentId, compare)
    if (listDue()) await removeOrphans()
  }

  async function round(): Promise<void> {
    await backfill.recordUnreported()
    if (notifyDue()) await backfill.notifyMissed()
    await reconcile()
  }

  return { round, purge: () => backfill.purge() }
}

const max = (one: Date, other: Date): Date => (one > other ? one : other)

/** Returns true at first, and then once per interval. */
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
   order by checked_at nulls first, in_force_since limit :batchSize`

const toCompareStatement = `
  select s.agent_id as "agentId" from schedules s join agents a on a.id = s.agent_id
   where s.synced_generation = s.generation and a.deleted_at is null and a.trigger = 'scheduled'
     and (s.checked_at is null or s.checked_at < :before)
   order by s.checked_at nulls first limit :batchSize`
