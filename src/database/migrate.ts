import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { settleArrivals } from './arrivals.ts'
import { isDeadlock, isLockTimeout, type Database, type Transaction } from './database.ts'

export interface Migration {
  /** Recorded in the database. The baseline's name contains its identity; later ones are `<yyyymmddhhmm>-<what>`. */
  name: string
  up(knex: Knex): Promise<unknown>
  down(knex: Knex): Promise<unknown>
  /** `{ transaction: false }` for statements that Postgres runs only outside of transactions. */
  config?: { transaction: boolean }
}

/** Another baseline or program created the database, and no migration leads from it to the current schema. */
export class OtherSchemaError extends Error {
  override readonly name = 'OtherSchemaError'
  constructor(whatToDo = 'Point DATABASE_URL at an empty database and run the migrations.') {
    super(
      `The database was created by another version of Switchyard or another program. Nothing in it was changed. ${whatToDo}`,
    )
  }
}

/** The database has no schema yet. Failed queries are retried; another module recognizes the error by its name. */
class NotMigratedError extends Error {
  override readonly name = 'NotMigratedError'
}

/** An arbitrary number; no other advisory lock in this database uses it. */
const lockNumber = 7_215_340_911

/**
 * A waiting table lock blocks all later users of the table, so a migration gives up before writers notice
 * (docs/contribute/deploys.md, "Migrations").
 */
const longestWait = 2

/** How many seconds a migration that found a table in use waits before each new attempt. */
const pausesBetweenAttempts = [1, 2, 4, 8]

/**
 * Brings the schema up to date, and settles the order of arrival after a restore. Returns the names of the applied
 * migrations. Safe to run in several processes: one migrates, the others wait. A migration that meets a deadlock or a
 * long lock is tried again after each of the pauses. Throws if the database has migrations that this code lacks, and an
 * OtherSchemaError if another baseline created it.
 */
export function migrate(
  database: Database,
  migrations: Migration[],
  say: (text: string) => void,
  pauses = pausesBetweenAttempts,
): Promise<string[]> {
  return underLock(database, migrations, say, async () => {
    const applied = new Set(await appliedTo(database))
    const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
    for (const name of pending) {
      const isWhole = migrations.find((one) => one.name === name)?.config?.transaction !== false
      await applyPatiently(() => apply(database, migrations, name), { name, isWhole, say, pauses })
    }
    await settleArrivals(database)
    return pending
  })
}

/** Each migration has its own transaction, so none keeps its locks while the next one waits. */
const apply = (database: Database, migrations: Migration[], name: string): Promise<unknown> =>
  database.migrate.up({ ...settings(migrations), name })

/** The processes that use the table continue in the pauses. */
async function applyPatiently(
  attempt: () => Promise<unknown>,
  { name, isWhole, say, pauses }: { name: string; isWhole: boolean; say: (text: string) => void; pauses: number[] },
): Promise<void> {
  for (const pause of [...pauses, undefined]) {
    const problem = await attempt().then(() => undefined, problemOf)
    if (problem === undefined) return
    const left = isWhole ? 'and changed nothing' : 'and may have changed a part, which it finds when it runs again'
    const text = `The migration ${name} ${problem.what} ${left}.`
    if (pause === undefined) throw new Error(`${text} ${howToFree}`, { cause: problem.cause })
    say(`${text} Trying again in ${pause} ${pause === 1 ? 'second' : 'seconds'}.`)
    await delay(pause * 1000)
  }
}

const howToFree =
  'Run the migrations again. If this repeats, use pg_stat_activity to find the long-running transaction that is holding the lock.'

/** How the tables were in use. Throws other errors. */
function problemOf(error: unknown): { what: string; cause: unknown } {
  if (isLockTimeout(error)) return { what: `waited ${longestWait} seconds for a table lock`, cause: error }
  if (isDeadlock(error)) return { what: 'met a deadlock', cause: error }
  throw error
}

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
 * An advisory lock of a transaction: others wait for it, and it ends with its connection. Knex' own lock makes a second
 * process fail, and stays locked if a process dies. The holder may free it, so refusals come first.
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
 * A concurrent index build waits for every older snapshot, even that of a process that waits for the migration. A
 * statement with bindings keeps its snapshot until the next one. So this one has no bindings and does not wait.
 */
async function takeLock(transaction: Transaction): Promise<boolean> {
  const { rows } = await transaction.raw<{ rows: [{ taken: boolean }] }>(
    `select pg_try_advisory_xact_lock(${lockNumber}) as taken`,
  )
  return rows[0].taken
}

const rowsOf = async <T>(database: Database, connection: unknown, sql: string): Promise<T[]> =>
  (await database.raw<{ rows: T[] }>(sql).connection(connection)).rows

/** The names of the applied migrations, oldest first. Other programs may have a table `migrations` of another shape. */
export async function appliedTo(database: Database, connection?: unknown): Promise<string[]> {
  const [column] = await rowsOf<{ found: boolean }>(
    database,
    connection,
    `select exists (
       select from pg_attribute where attrelid = to_regclass('migrations') and attname = 'name' and not attisdropped
     ) as found`,
  )
  if (!column?.found) return []
  const rows = await rowsOf<{ name: string }>(database, connection, 'select name from migrations order by id')
  return rows.map(({ name }) => name)
}

/**
 * Creates the schema that exactly these migrations make, without recording them, in a transaction that holds the lock
 * of migrations. Throws if the database is not empty, if this code lacks one of them, or if another process holds the
 * lock.
 */
export async function buildSchema(trx: Transaction, migrations: Migration[], names: string[]): Promise<void> {
  if (!(await takeLock(trx))) throw new Error('Another process is migrating this database. Try again.')
  if (await hasOtherTables(trx)) throw new Error('The database is not empty. Nothing in it was changed.')
  if (!names.includes(migrations[0]?.name ?? ''))
    throw new Error('The backup has the schema of another version of Switchyard. Restore it with that version.')
  refuseNewerSchema(names, migrations)
  await createMigrationTables(trx)
  const recorded = migrations.filter(({ name }) => names.includes(name))
  for (const migration of recorded) await migration.up(withoutConcurrency(trx))
}

/** As Knex creates them. */
async function createMigrationTables(trx: Transaction): Promise<void> {
  await trx.schema.dropTableIfExists('migrations').dropTableIfExists('migrations_lock')
  await trx.schema.createTable('migrations', (table) => {
    table.increments()
    table.string('name')
    table.integer('batch')
    table.timestamp('migration_time')
  })
  await trx.schema.createTable('migrations_lock', (table) => {
    table.increments('index').primary()
    table.integer('is_locked')
  })
}

/** Postgres builds indexes concurrently only outside of transactions, and an empty table has nobody to wait for. */
const withoutConcurrency = (trx: Transaction): Knex =>
  new Proxy(trx, {
    get: (target, name) =>
      name === 'raw'
        ? (sql: string, ...bindings: [never]) => target.raw(sql.replaceAll(/\bconcurrently\b/gi, ''), ...bindings)
        : (Reflect.get(target, name, target) as unknown),
  })

/**
 * Throws an OtherSchemaError if another baseline or program created the database, and a NotMigratedError if it is
 * empty. Uses the given connection, or one of the pool.
 */
export async function assertSchema(database: Database, migrations: Migration[], connection?: unknown): Promise<void> {
  const applied = await knownTo(database, migrations, connection)
  if (applied.length === 0) throw new NotMigratedError('The database has not been migrated yet. Run: npm run migrate')
}

/** The migrations of an empty database or one of our baseline. Throws an OtherSchemaError for others. */
async function knownTo(database: Database, [baseline]: readonly Migration[], connection?: unknown): Promise<string[]> {
  // Check the tables first: if another process commits the baseline in between, its name is found.
  const isEmpty = !(await hasOtherTables(database, connection))
  const applied = await appliedTo(database, connection)
  if (applied.includes(baseline?.name ?? '') || (isEmpty && applied.length === 0)) return applied
  throw new OtherSchemaError()
}

/**
 * Whether tables exist besides those of Knex, which a killed process may leave empty before the baseline. Tables of
 * extensions do not count.
 */
async function hasOtherTables(database: Database, connection?: unknown): Promise<boolean> {
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
    `The database is newer than this code. The code lacks these migrations: ${unknown.join(', ')}. Run the newer code.`,
  )
}

/**
 * How the database differs from this code: migrations that are not applied yet, and applied ones that the code lacks.
 * Throws an OtherSchemaError if another baseline or program created it.
 */
export async function compareSchema(database: Database, migrations: readonly Migration[]) {
  const applied = await knownTo(database, migrations)
  const names = migrations.map(({ name }) => name)
  return {
    pending: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !names.includes(name)),
  }
}
