import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { settleArrivals } from './arrivals.ts'
import { isLockTimeout, type Database, type Transaction } from './database.ts'

/** One change of the schema. */
export interface Migration {
  /** Recorded in the database. That of the baseline says which one it is; those of later ones are `<yyyymmddhhmm>-<what>`. */
  name: string
  up(knex: Knex): Promise<unknown>
  down(knex: Knex): Promise<unknown>
  /** `{ transaction: false }` for statements that Postgres carries out outside of transactions only. */
  config?: { transaction: boolean }
}

/** Another baseline or another program made the database, and there is no way from there to the present schema. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError'
  constructor(whatToDo = 'Point DATABASE_URL at an empty database and run the migrations.') {
    super(
      `The database was created by another version of Switchyard or another program. Nothing in it was changed. ${whatToDo}`,
    )
  }
}

/** The database has no schema yet. A query that fails for this is tried again: another module knows the error by its name. */
class NotMigratedError extends Error {
  override readonly name = 'NotMigratedError'
}

/** An arbitrary number; no other advisory lock in this database uses it. */
const lockNumber = 7_215_340_911

/**
 * Who waits for a table's lock makes everybody wait who comes after it, so a migration gives up before writers notice.
 * One without a transaction has no such limit: all its statements let others write (docs/contribute/deploys.md, "Migrations").
 */
const longestWait = 2

/**
 * Brings the schema up to date, and the order of arrival to a database that was restored. Returns the names of the
 * migrations that were applied. Safe to run in several processes at once: one migrates, the others wait. Throws if the
 * database has migrations that this code lacks, and an OtherSchemaError if another baseline has made it.
 */
export function migrate(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, migrations, say, async () => {
    const applied = new Set(await appliedTo(database))
    const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
    for (const name of pending) await apply(database, migrations, name)
    await settleArrivals(database)
    return pending
  })
}

/** Each migration has a transaction of its own: none keeps its locks while the next one waits. */
async function apply(database: Database, migrations: Migration[], name: string): Promise<void> {
  try {
    await database.migrate.up({ ...settings(migrations), name })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    const text = `The migration ${name} waited ${longestWait} seconds for a table lock and changed nothing. Run the migrations again. If this repeats, find the long-running transaction that holds the lock in pg_stat_activity.`
    throw new Error(text, { cause: error })
  }
}

/** Rolls back the last migration. Returns its name. */
export function rollback(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, migrations, say, async () => {
    const applied = await appliedTo(database)
    // Knex would log the whole error before it throws.
    if (applied.length === 1) await migrations[0]?.down(database)
    const [, undone] = (await database.migrate.rollback(settings(migrations))) as [number, string[]]
    return undone
  })
}

const settings = (migrations: Migration[]): Knex.MigratorConfigWithLifecycleHooks => ({
  tableName: 'migrations',
  migrationSource: {
    getMigrations: () => Promise.resolve(migrations),
    getMigrationName: (migration: Migration) => migration.name,
    getMigration: (migration: Migration) => Promise.resolve(migration),
  },
  beforeEach: async (knex: Knex) => {
    if (knex.isTransaction) await knex.raw(`set local lock_timeout = '${longestWait}s'`)
  },
})

/**
 * Knex' own lock makes a second process fail, and stays locked when a process dies. So this is an advisory lock of a
 * transaction: others wait for it, and it ends with its connection. Its holder may free Knex' lock, which writes: what
 * is refused is refused before.
 */
function underLock<T>(
  database: Database,
  migrations: Migration[],
  say: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) {
      say('Another process is migrating this database. Waiting for it to finish.')
      while (!(await takeLock(transaction))) await delay(200)
    }
    refuseNewerSchema(await knownTo(database, migrations), migrations)
    await database.migrate.forceFreeMigrationsLock({ tableName: 'migrations' })
    return work()
  })
}

/**
 * An index that is built concurrently waits for every snapshot that is older, for ever if it is that of a process that
 * waits for the end of the migration. A statement that waits has a snapshot, and one with bindings keeps it until the
 * next statement; so this one has none and does not wait.
 */
async function takeLock(transaction: Transaction): Promise<boolean> {
  const { rows } = await transaction.raw<{ rows: [{ taken: boolean }] }>(
    `select pg_try_advisory_xact_lock(${lockNumber}) as taken`,
  )
  return rows[0].taken
}

/** What a question is asked on: the given connection, or one of the pool. */
const rowsOf = async <T>(database: Database, connection: unknown, sql: string): Promise<T[]> =>
  (await database.raw<{ rows: T[] }>(sql).connection(connection)).rows

/** Other programs may have a table `migrations` of another shape. */
async function appliedTo(database: Database, connection?: unknown): Promise<string[]> {
  const [column] = await rowsOf<{ found: boolean }>(
    database,
    connection,
    `select exists (
       select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'name' and not attisdropped
     ) as found`,
  )
  if (!column?.found) return []
  const rows = await rowsOf<{ name: string }>(database, connection, 'select name from migrations')
  return rows.map(({ name }) => name)
}

/**
 * Throws an OtherSchemaError if another baseline or another program has made the database, and a NotMigratedError if it
 * is empty. Asks on the given connection, or on one of the pool.
 */
export async function assertSchema(database: Database, migrations: Migration[], connection?: unknown): Promise<void> {
  const applied = await knownTo(database, migrations, connection)
  if (applied.length === 0) throw new NotMigratedError('The database has not been migrated yet. Run: npm run migrate')
}

/** The migrations of a database that is empty or was made by our baseline; throws an OtherSchemaError for others. */
async function knownTo(database: Database, [baseline]: Migration[], connection?: unknown): Promise<string[]> {
  // The tables come first: another process may commit the baseline in between, and then its name is found.
  const isEmpty = !(await hasOtherTables(database, connection))
  const applied = await appliedTo(database, connection)
  if (applied.includes(baseline?.name ?? '') || (isEmpty && applied.length === 0)) return applied
  throw new OtherSchemaError()
}

/**
 * Whether there is a table besides those in which Knex keeps its migrations, which a process that was killed before the
 * baseline leaves empty. Tables of extensions do not count.
 */
async function hasOtherTables(database: Database, connection: unknown): Promise<boolean> {
  const [table] = await rowsOf<{ found: boolean }>(
    database,
    connection,
    `select exists (
       select from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
          and not (c.relname in ('migrations', 'migrations_lock') and exists (
            select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'name' and not attisdropped))
          and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     ) as found`,
  )
  return table?.found ?? false
}

function refuseNewerSchema(applied: string[], migrations: Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = applied.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new Error(
    `The database is newer than this code. These migrations are missing: ${unknown.join(', ')}. Run the newer code.`,
  )
}
