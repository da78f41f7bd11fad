import type { Database, Transaction } from '../database/database.ts'

/**
 * Throws while a process of the platform besides this one is connected to the database. It would have worked with the
 * restored record already.
 */
export async function assertUnused(trx: Transaction, database: Database): Promise<void> {
  const { rows } = await trx.raw<{ rows: [{ connected: number }] }>(connectedStatement)
  const { pool } = database.client as { pool: { numUsed: () => number; numFree: () => number } }
  const others = rows[0].connected - pool.numUsed() - pool.numFree()
  if (others <= 0) return
  throw new Error(
    `Processes of the platform are connected to this database (${others} connections). Stop the API and all workers. Then run this command before you start them again.`,
  )
}

const connectedStatement = `
  select count(*)::int as connected from pg_stat_activity
   where datname = current_database() and application_name like 'switchyard%'`

/**
 * Until the transaction ends, a process that starts meanwhile can send nothing: each call is on record before it is
 * sent.
 */
export const keepOthersOut = async (trx: Transaction): Promise<void> =>
  void (await trx.raw(
    'lock table agents, agent_queues, runs, chat_answers, tool_calls, direct_tool_calls in share row exclusive mode',
  ))
