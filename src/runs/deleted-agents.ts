import type { Database } from '../database.ts'
import type { Logger } from '../logger.ts'

/** How often runs are cancelled in one sweep, which has more to do than this; the rest follow in the next. */
const turns = 5

/**
 * Agents that were deleted and still have runs that nobody has asked to end: a deletion cancels only some of very many,
 * and the process that was to cancel them may have been killed. Found again and again until there are none.
 */
export function createDeletedAgents(context: {
  database: Database
  logger: Logger
  cancelSomeOf: (agentId: string) => Promise<void>
}) {
  const { database, logger, cancelSomeOf } = context

  /** Whoever has waited longest goes first: each of its endings counts as progress. */
  async function withRuns(limit: number): Promise<string[]> {
    const { rows } = await database.raw<{ rows: { id: string }[] }>(
      `select a.id from agent_queues q join agents a on a.id = q.agent_id
        where q.unfinished > 0 and a.deleted_at is not null
          and exists (select 1 from runs r where r.agent_id = q.agent_id
                         and r.status in ('queued', 'running', 'waiting') and r.cancel_requested_at is null)
        order by q.progressed_at limit ?`,
      [limit],
    )
    return rows.map(({ id }) => id)
  }

  /** On its own: one agent whose runs cannot be cancelled must not keep the sweep from the others. */
  const cancel = (agentId: string): Promise<void> =>
    cancelSomeOf(agentId).catch((error: unknown) =>
      logger.warn({ err: error, agentId }, 'the runs of a deleted agent were not cancelled'),
    )

  return {
    /** Goes on cancelling what deletions have left. Needs Postgres only. */
    async cancelRuns(): Promise<void> {
      for (let left = turns; left > 0;) {
        const agentIds = await withRuns(left)
        if (agentIds.length === 0) return
        await Promise.all(agentIds.map(cancel))
        left -= agentIds.length
      }
    },
  }
}
