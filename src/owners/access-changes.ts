import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'

/**
 * Tells all processes that a user's access may have shrunk: a membership, role, login or key has ended. Processes then
 * check open streams immediately. Correctness does not depend on it, because streams are also checked regularly.
 */
export function createAccessChanges({ database, logger }: { database: Database; logger: Logger }) {
  return {
    /** Call it after the commit. If it fails, streams are checked a little later. */
    async note(): Promise<void> {
      await database
        .raw(`select nextval('access_changes')`)
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'failed to announce an access change; open streams will be checked later'),
        )
    },

    /** A number that changes with each note. */
    async latest(): Promise<number> {
      const { rows } = await database.raw<{ rows: [{ latest: number }] }>(
        'select last_value::float8 as latest from access_changes',
      )
      return rows[0].latest
    },
  }
}

export type AccessChanges = ReturnType<typeof createAccessChanges>
