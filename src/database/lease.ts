import type { Database } from './database.ts'
import { newId } from '../ids.ts'

/**
 * Leases: whoever holds one carries out a loop that must run in one process only. A row with an expiry rather than a
 * session lock, which a connection pooler in front of Postgres would break. Time is that of Postgres: a process whose
 * clock is fast would otherwise leave behind a lease that holds up the others for as long.
 */
export function createLease(context: { database: Database }) {
  const { database } = context
  const holder = newId()
  return {
    /** Takes or extends the lease for so many seconds; false while somebody else holds it. */
    async hold(name: string, seconds: number): Promise<boolean> {
      const { rows } = await database.raw<{ rows: unknown[] }>(holdStatement, { name, holder, seconds })
      return rows.length > 0
    },
  }
}

export type Lease = ReturnType<typeof createLease>

const holdStatement = `
  insert into leases (name, holder, expires_at)
    values (:name, :holder, statement_timestamp() + make_interval(secs => :seconds))
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where leases.holder = excluded.holder or leases.expires_at < statement_timestamp()
  returning 1`
