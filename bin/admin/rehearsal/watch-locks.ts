import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../../src/database/database.ts'

/** A lock that a migration held on a table that others use, and for how long, in seconds. */
export interface HeldLock {
  table: string
  /** Who waits for it. */
  blocks: string
  seconds: number
}

/**
 * What each mode makes wait (Postgres, "Table-Level Locks"), the weakest first. Other modes let readers and writers
 * pass.
 */
const blocked: Record<string, string> = {
  RowExclusiveLock: 'writers of the rows that it changed',
  ShareLock: 'writers',
  ShareRowExclusiveLock: 'writers',
  ExclusiveLock: 'writers',
  AccessExclusiveLock: 'readers and writers',
}

const everyMs = 20

/**
 * Looks every 20 ms at the locks that others hold in this database, on tables that existed before: those of an
 * uncommitted transaction cannot be seen from here. `stop` returns the longest on each table, with a whole interval
 * more than was seen.
 */
export function watchLocks(database: Database): { stop: () => Promise<HeldLock[]> } {
  const seen = new Map<string, { sample: Sample; first: number; last: number }>()
  const stopped = new AbortController()
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const now = performance.now()
      for (const sample of await readLocks(database)) {
        const key = Object.values(sample).join(' ')
        seen.set(key, { sample, first: seen.get(key)?.first ?? now, last: now })
      }
      await delay(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await watching
      return longestOf(
        [...seen.values()].map((one) => ({ ...one.sample, seconds: (one.last - one.first + everyMs) / 1000 })),
      )
    },
  }
}

interface Sample {
  table: string
  mode: string
  holder: string
}

/** Of each table: the longest; among equals, the strongest. */
function longestOf(locks: (Sample & { seconds: number })[]): HeldLock[] {
  const modes = Object.keys(blocked)
  const sorted = locks.toSorted(
    (one, other) => other.seconds - one.seconds || modes.indexOf(other.mode) - modes.indexOf(one.mode),
  )
  const first = sorted.filter(({ table }, index) => sorted.findIndex((other) => other.table === table) === index)
  return first.map(({ table, mode, seconds }) => ({ table, blocks: blocked[mode] ?? mode, seconds }))
}

async function readLocks(database: Database): Promise<Sample[]> {
  const { rows } = await database.raw<{ rows: Sample[] }>(locksStatement, [Object.keys(blocked)])
  return rows
}

const locksStatement = `
  select c.relname as "table", l.mode, l.virtualtransaction as holder
    from pg_locks l
    join pg_database d on d.oid = l.database and d.datname = current_database()
    join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p')
     and c.relnamespace = current_schema()::regnamespace and c.relname not like 'migrations%'
   where l.granted and l.mode = any(?::text[]) and l.pid <> pg_backend_pid()`
