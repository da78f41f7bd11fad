import type { Transaction } from '../database/database.ts'
import { deleteSessions } from '../sessions/session.ts'
import { largeBatch, fittingIds, type Sized } from '../database/batches.ts'

/** Deletes a batch in the caller's transaction. Returns the number of runs or sessions in it; 0 if none is left. */
type LargeBatch = (trx: Transaction, ownerId: string) => Promise<number>

/** Runs with their timelines, inputs and callbacks. Deleted agents start no new runs. */
const deleteRunBatch: LargeBatch = async (trx, ownerId) => {
  const { rows } = await trx.raw<{ rows: Sized[] }>(runsStatement, { ownerId, most: largeBatch.things })
  const ids = fittingIds(rows)
  if (ids.length === 0) return 0
  for (const sql of ofRuns) await trx.raw(sql, { ids })
  return ids.length
}

const deleteSessionBatch: LargeBatch = async (trx, ownerId) => {
  const { rows } = await trx.raw<{ rows: Sized[] }>(sessionsStatement, { ownerId, most: largeBatch.things })
  const ids = fittingIds(rows)
  if (ids.length > 0) await deleteSessions(trx, ids)
  return ids.length
}

export const largeBatches = [deleteRunBatch, deleteSessionBatch]

/** Oldest first, so that a batch touches few weekly partitions. The subquery hides the owner from the planner. */
const runsStatement = `
  select id, events + steps + tool_calls as parts from runs where owner_id = (select :ownerId::uuid) order by id limit :most for update`

/** Deleting a run also deletes its callbacks, attempts and idempotency keys. */
const ofRuns = [
  `delete from outgoing_waits where call_id in (select id from tool_calls where subject_id = any(:ids))`,
  ...['tool_calls', 'steps', 'live_words'].map((table) => `delete from ${table} where subject_id = any(:ids)`),
  ...['run_events', 'run_inputs', 'live_watches', 'approvals'].map(
    (table) => `delete from ${table} where run_id = any(:ids)`,
  ),
  'delete from runs where id = any(:ids)',
]

const sessionsStatement = `
  select id, last_number as parts from sessions where owner_id = (select :ownerId::uuid) order by id limit :most for update`
