import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import { newId } from './ids.ts'

/**
 * Leases: whoever holds one carries out a loop that must run in one process only. A row with an expiry rather than a
 * session lock, which a connection pooler in front of Postgres would break.
 */
export function createLease({ database, clock }: { database: Database; clock: Clock }) {
  const holder = newId()
  return {
    /** Takes or extends the lease for so many seconds; false while somebody else holds it. */
    async hold(name: string, seconds: number): Promise<boolean> {
      const now = clock.now()
      const until = new Date(now.getTime() + seconds * 1000)
      const { rows } = await database.raw<{ rows: unknown[] }>(
        `insert into leases (name, holder, expires_at) values (?, ?, ?)
         on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
           where leases.holder = excluded.holder or leases.expires_at < ?
         returning 1`,
        [name, holder, until, now],
      )
      return rows.length > 0
    },
  }
}

export type Lease = ReturnType<typeof createLease>
