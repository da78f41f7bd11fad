import type { Transaction } from '../database/database.ts'
import { largeBatch, fittingIds, type Sized } from '../database/batches.ts'

/** Each deletes a batch in the caller's transaction, and returns how many runs or sessions it had; 0 if none is left. */
type LargeBatch = (trx: Transaction, ownerId: string) => Promise<number>

/** Runs with their timelines, inputs and callbacks. Newer ones may come behind, but agents that are deleted start none. */
const deleteRuns: LargeBatch = async (trx, ownerId) => {
  const { rows } = await trx.raw<{ rows: Sized[] }>(runsStatement, { ownerId, most: largeBatch.things })
  const ids = fittingIds(rows)
  if (ids.length === 0) return 0
  for (const sql of ofRuns) await trx.raw(sql, { ids })
  return ids.length
}

/** Sessions with all that was said in them. */
const deleteSessions: LargeBatch = async (trx, ownerId) => {
  const { rows } = await trx.raw<{ rows: Sized[] }>(sessionsStatement, { ownerId, most: largeBatch.things })
  const ids = fittingIds(rows)
  if (ids.length === 0) return 0
  for (const sql of ofSessions) await trx.raw(sql, { ids })
  return ids.length
}

export const largeBatches = [deleteRuns, deleteSessions]

/** Oldest first, so that a batch touches few weeks’ partitions. By a subquery, so that the planner does not know whose rows they are. */
const runsStatement = `
  select id, events + steps + tool_calls as parts from runs where owner_id = (select :ownerId::uuid) order by id limit :most for update`

/** Callbacks, their attempts and idempotency keys go with the run. */
const ofRuns = [
  `delete from outgoing_waits where call_id in (select id from run_tool_calls where run_id = any(:ids))`,
  ...['run_events', 'run_tool_calls', 'run_steps', 'run_inputs', 'live_words', 'live_watches', 'approvals'].map(
    (table) => `delete from ${table} where run_id = any(:ids)`,
  ),
  'delete from runs where id = any(:ids)',
]

const sessionsStatement = `
  select id, last_number as parts from sessions where owner_id = (select :ownerId::uuid) order by id limit :most for update`

const ofSessions = [
  ...['chat_words', 'approvals'].map(
    (table) => `
  delete from ${table} where answer_id = any(array(select id from chat_answers where session_id = any(:ids)))`,
  ),
  'delete from sessions where id = any(:ids)',
]
