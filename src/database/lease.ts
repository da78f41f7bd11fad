import type { Database } from './database.ts'
import { newId } from '../ids.ts'

/**
 * Leases for loops that must run in one process at a time. A lease is a row with an expiry in Postgres' time:
 * connection poolers break session locks, and process clocks differ.
 */
export function createLease(context: { database: Database }) {
  const { database } = context
  const holder = newId()
  return {
    /** Takes or extends the lease for this many seconds; false while another process holds it. */
    async hold(name: string, seconds: number): Promise<boolean> {
      const { rows } = await database.raw<{ rows: unknown[] }>(holdStatement, { name, holder, seconds })
      return rows.length > 0
    },

    /** Takes a lease that is exclusive within this process too; undefined while it is held. */
    async holdAlone(name: string, seconds: number) {
      const own = newId()
      const { rows } = await database.raw<{ rows: unknown[] }>(holdStatement, { name, holder: own, seconds })
      if (rows.length === 0) return undefined
      return {
        extend: async (more: number): Promise<void> =>
          void (await database.raw(holdStatement, { name, holder: own, seconds: more })),
        release: async (): Promise<void> => void (await database('leases').where({ name, holder: own }).delete()),
      }
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
