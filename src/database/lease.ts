import type { Database } from './database.ts'
import { newId } from '../ids.ts'

/**
 * Leases: whoever holds one carries out a loop that must run in one process only. A row with an expiry rather than a
 * session lock, which a connection pooler in front of Postgres would break. Time is that of Postgres: a process whose
 * clock is fast would otherwise leave behind a lease that holds up the others for as long.
 */
export function createLease({ database }: { database: Database }) {
  const holder = newId()
  return {
    /** Takes or extends the lease for so many seconds; false while somebody else holds it. */
    async hold(name: string, seconds: number): Promise<boolean> {
      const { rows } = await database.raw<{ rows: unknown[] }>(
        `insert into leases (name, holder, expires_at) values (?, ?, statement_timestamp() + make_interval(secs => ?))
         on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
           where leases.holder = excluded.holder or leases.expires_at < statement_timestamp()
         returning 1`,
        [name, holder, seconds],
      )
      return rows.length > 0
    },
  }
}

export type Lease = ReturnType<typeof createLease>
