import { setTimeout as delay } from 'node:timers/promises'
import { onServer } from '../../test/helpers/database.ts'

/** What a database has done since it was created. */
export interface DatabaseWork {
  /** Without those that begin and end transactions. */
  statements: number
  transactions: number
  inserted: number
  updated: number
  deleted: number
  /** The size of the database. */
  bytes: number
  /** Bytes in the write-ahead log of the server. */
  logBytes: number
}

/** The library of Postgres that counts statements. */
export const statementLibrary = 'pg_stat_statements'

/** Postgres publishes the counts of an idle session after 10 s. */
const publishedMs = 12_000

export const countStatements = (database: string): Promise<unknown> =>
  onServer(database, (client) => client.query(`create extension if not exists ${statementLibrary}`))

/**
 * Counts what the database does during the work, less what it does anyway in so much time. An idle time before the work
 * shows that.
 */
export async function databaseWork(database: string, idleSeconds: number, work: () => Promise<unknown>) {
  const idle = await during(database, () => delay(idleSeconds * 1000))
  const busy = await during(database, work)
  const found = Object.keys(idle.work).map((name) => {
    const key = name as keyof DatabaseWork
    return [key, busy.work[key] - (idle.work[key] * busy.seconds) / idle.seconds]
  })
  return Object.fromEntries(found) as unknown as DatabaseWork
}

async function during(database: string, work: () => Promise<unknown>) {
  const before = await read(database)
  const began = performance.now()
  await work()
  await delay(publishedMs)
  const after = await read(database)
  const names = Object.keys(before) as (keyof DatabaseWork)[]
  const differences = Object.fromEntries(names.map((name) => [name, after[name] - before[name]]))
  return { work: differences as unknown as DatabaseWork, seconds: (performance.now() - began) / 1000 }
}

const read = (database: string): Promise<DatabaseWork> =>
  onServer(database, async (client) => {
    const { rows } = await client.query<DatabaseWork>(statement)
    return rows[0] as DatabaseWork
  })

const statement = `
  select (select sum(calls)::float8 from ${statementLibrary}
           where dbid = pg_database.oid and toplevel and query !~* '^\\s*(begin|start transaction|commit|rollback)')
           as statements,
         xact_commit::float8 as transactions,
         (select sum(n_tup_ins)::float8 from pg_stat_user_tables) as inserted,
         (select sum(n_tup_upd)::float8 from pg_stat_user_tables) as updated,
         (select sum(n_tup_del)::float8 from pg_stat_user_tables) as deleted,
         pg_database_size(pg_database.oid)::float8 as bytes,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "logBytes"
    from pg_database join pg_stat_database on datid = oid where pg_database.datname = current_database()`
