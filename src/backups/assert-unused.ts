import type { Transaction } from '../database/database.ts'

/**
 * Throws while a process of the platform is connected to the database. It would have worked with the restored record
 * already.
 */
export async function assertUnused(trx: Transaction): Promise<void> {
  const { rows } = await trx.raw<{ rows: [{ others: number }] }>(othersStatement)
  const { others } = rows[0]
  if (others === 0) return
  throw new Error(
    `Processes of the platform are connected to this database (${others} connections). Stop the API and all workers. Then run this command before you start them again.`,
  )
}

const othersStatement = `
  select count(*)::int as others from pg_stat_activity
   where datname = current_database() and application_name = 'switchyard' and pid <> pg_backend_pid()`
