import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { RunRef } from '../record.ts'

/**
 * Records for `why` that a run wants to go on, but that its owner's share of the worker's places is in use, or those at
 * an AI provider are.
 */
export function createNoPlace({ database, clock }: { database: Database; clock: Clock }) {
  return async ({ runId, epoch }: RunRef, provider?: string): Promise<void> => {
    await database.raw(statement, { runId, epoch, provider: provider ?? null, now: clock.now() })
  }
}

/** A time before the last progress is of an earlier wait. */
const statement = `
  update runs set no_place_since = :now, no_place_at = :provider
   where id = :runId and epoch = :epoch
     and (no_place_since is null or no_place_since < progressed_at or no_place_at is distinct from :provider)`
