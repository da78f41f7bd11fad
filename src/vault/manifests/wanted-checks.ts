import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { VaultEntry } from '../vault-entry.ts'

/** A list is fetched before its daily check at most this often. */
const shortestMs = 60_000
const longestMs = 24 * 60 * 60_000

/** When a list that was fetched at this time becomes stale, by what its site says; null if it does not say it. */
export const staleAt = (fetchedAt: Date, staleAfterSeconds: number | undefined): Date | null =>
  staleAfterSeconds === undefined
    ? null
    : new Date(fetchedAt.getTime() + Math.min(longestMs, Math.max(shortestMs, staleAfterSeconds * 1000)))

/**
 * Asks for checks of manifests before they are due. A worker makes them beside the work that noticed the need. That work
 * waits for one statement, which passes over locked rows, and a failure is only logged.
 */
export function createWantedChecks(context: { database: Database; clock: Clock; logger: Logger }) {
  const { database, clock, logger } = context

  /** Wants a check of the manifests, unless they were checked within the last minute. */
  async function wantChecks(ids: readonly string[]): Promise<void> {
    const now = clock.now()
    const free = VaultEntry.query(database)
      .select('id')
      .findByIds([...ids])
      .whereNull('manifestWantedAt')
      .where('manifestCheckedAt', '<=', new Date(now.getTime() - shortestMs))
      .forUpdate()
      .skipLocked()
    await VaultEntry.query(database)
      .patch({ manifestWantedAt: now })
      .whereIn('id', free)
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to ask for a check of manifests'))
  }

  return {
    wantChecks,

    /** Wants a check of those manifests that have become stale. */
    async wantStale(
      entries: readonly Pick<VaultEntry, 'id' | 'manifestStaleAt' | 'manifestWantedAt'>[],
    ): Promise<void> {
      const now = clock.now()
      const stale = entries.filter(
        ({ manifestStaleAt: at, manifestWantedAt }) => at !== null && at <= now && manifestWantedAt === null,
      )
      if (stale.length > 0) await wantChecks(stale.map(({ id }) => id))
    },
  }
}
