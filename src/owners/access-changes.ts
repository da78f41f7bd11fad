import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'

/**
 * Tells all processes that somebody may see less than before: a membership, a role, a login or a key has ended. Open
 * streams are checked at once then, and not only from time to time. Nothing depends on it.
 */
export function createAccessChanges({ database, logger }: { database: Database; logger: Logger }) {
  return {
    /** After the commit; if it fails, streams are checked a little later. */
    async note(): Promise<void> {
      await database
        .raw(`select nextval('access_changes')`)
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'failed to announce an access change; open streams are checked later'),
        )
    },

    /** A number that changes with every note. */
    async latest(): Promise<number> {
      const { rows } = await database.raw<{ rows: [{ latest: number }] }>(
        'select last_value::float8 as latest from access_changes',
      )
      return rows[0].latest
    },
  }
}

export type AccessChanges = ReturnType<typeof createAccessChanges>
