import { Agent } from '../../agents/agent.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { isId } from '../../ids.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { ListedExecution } from '../../temporal/inspection.ts'
import type { Temporal } from '../../temporal/temporal.ts'

/** Pages of a hundred that one round reads. The next round continues there. */
const pages = 5

/**
 * Ends orphaned workflows. Temporal's list may be outdated, so the record decides about each. Terminating a closed
 * workflow changes nothing.
 */
export function createOrphans(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  logger: Logger
  metrics: Pick<Metrics, 'repairs'>
}) {
  const { database, clock, config, temporal, logger, metrics } = context
  let pageToken: Uint8Array | null = null

  /** Runs that have not ended, or ended so recently that their workflows may still be closing. */
  async function liveRuns(ids: string[], before: Date): Promise<Set<string>> {
    const { rows } = await database.raw<{ rows: { id: string }[] }>(
      'select id from runs where id = any(:ids) and (ended_at is null or ended_at > :before)',
      { ids: ids.filter(isId), before },
    )
    return new Set(rows.map(({ id }) => id))
  }

  async function knownAgents(ids: string[]): Promise<Set<string>> {
    const agents = await Agent.query(database).findByIds(ids.filter(isId)).select('id')
    return new Set(agents.map(({ id }) => id))
  }

  async function end({ type, id, executionId }: ListedExecution): Promise<void> {
    const isRun = type === 'agentRun'
    const cause = isRun ? 'its run has ended, or does not exist' : 'its agent does not exist'
    metrics.repairs.inc({ kind: 'end-orphan' })
    logger.warn(
      { repair: 'end-orphan', cause, ...(isRun ? { runId: id } : { agentId: id }) },
      'terminated an orphaned workflow',
    )
    const { terminateRun, terminateQueue } = temporal.inspection
    await (isRun ? terminateRun : terminateQueue)(id, { executionId }, `reconciler: ${cause}`)
  }

  async function endOrphansOf(listed: ListedExecution[], before: Date): Promise<void> {
    const idsOf = (type: ListedExecution['type']) => listed.filter((one) => one.type === type).map(({ id }) => id)
    const expected = {
      agentRun: await liveRuns(idsOf('agentRun'), before),
      agentQueue: await knownAgents(idsOf('agentQueue')),
    }
    for (const one of listed.filter(({ type, id }) => !expected[type].has(id))) await end(one)
  }

  /** Temporal rejects an earlier page token after it lost its storage. The next round then starts over. */
  async function nextPage(before: Date): Promise<ListedExecution[]> {
    const continued = pageToken
    pageToken = null
    const { listed, next } = await temporal.inspection.listOpen(before, continued)
    pageToken = next
    return listed
  }

  return {
    /** Reads a few pages of open workflows and ends the orphaned ones. */
    async end(): Promise<void> {
      const before = new Date(clock.now().getTime() - config.reconcile.stallSeconds * 1000)
      for (let page = 0; page < pages; page += 1) {
        await endOrphansOf(await nextPage(before), before)
        if (!pageToken) return
      }
    },
  }
}
