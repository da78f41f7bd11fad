import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { isLockTimeout, type Database, type Transaction } from './database.ts'

/** One change of the schema. Never edited after it was merged. */
export interface Migration {
  /** `<yyyymmddhhmm>-<what>`; recorded in the database, so it never changes. */
  name: string
  up(knex: Knex): Promise<unknown>
  down(knex: Knex): Promise<unknown>
  /** `{ transaction: false }` for statements that Postgres carries out outside of transactions only. */
  config?: { transaction: boolean }
  /** The migrations that were squashed into this one. */
  replaces?: Replacement
}

/** How databases that were migrated step by step get to a squashed migration. */
export interface Replacement {
  /** The migrations that it replaces, oldest first. */
  names: string[]
  /** For the owner of a database that has only some of them. */
  howToGetThere: string
  /** Converts a database that has all of them; `createSchema` is the squashed migration. */
  convert(trx: Knex.Transaction, createSchema: () => Promise<unknown>, say: (text: string) => void): Promise<void>
}

/** An arbitrary number; no other advisory lock in this database uses it. */
const lockNumber = 7_215_340_911

/**
 * Who waits for a table's lock makes everybody wait who comes after it, so a migration gives up before writers notice.
 * One without a transaction has no such limit: all its statements let others write, which the lint of migrations checks.
 */
const longestWait = 2

/**
 * Brings the schema up to date. Returns the names of the migrations that were applied. Safe to run in several processes
 * at once: one migrates, the others wait. Throws if the database has migrations that this code lacks.
 */
export function migrate(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, say, async () => {
    await refuseNewerSchema(database, migrations)
    const converted = await convertOlderSchema(database, migrations, say)
    const applied = new Set(await appliedTo(database))
    const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
    for (const name of pending) await apply(database, migrations, name)
    return [...converted, ...pending]
  })
}

/** Each migration has a transaction of its own: none keeps its locks while the next one waits. */
async function apply(database: Database, migrations: Migration[], name: string): Promise<void> {
  try {
    await database.migrate.up({ ...settings(migrations), name })
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    const text = `A table that ${name} changes is busy: its lock was not free for ${longestWait} seconds. It changed nothing; migrate again. If this repeats, a long transaction has the lock (pg_stat_activity shows it).`
    throw new Error(text, { cause: error })
  }
}

/** Rolls back the last migration. Returns its name. */
export function rollback(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, say, async () => {
    await refuseNewerSchema(database, migrations)
    const applied = await appliedTo(database)
    const squashed = replacementOf(migrations, applied)
    if (squashed)
      throw new Error(
        `The database is older than ${squashed.name}, so there is nothing to roll back to. Migrate first.`,
      )
    // Knex would log the whole error before it throws.
    const [first] = migrations
    if (first?.replaces && applied.length === 1) await first.down(database)
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
 * transaction: others wait for it, and it ends with its connection. Its holder may free Knex' lock.
 */
function underLock<T>(database: Database, say: (text: string) => void, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) {
      say('Another process is migrating this database; waiting for it.')
      while (!(await takeLock(transaction))) await delay(200)
    }
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

async function appliedTo(database: Database): Promise<string[]> {
  if (!(await database.schema.hasTable('migrations'))) return []
  const { rows } = await database.raw<{ rows: { name: string }[] }>('select name from migrations')
  return rows.map(({ name }) => name)
}

/** The squashed migration that the database has to be converted to; undefined if there is none. */
const replacementOf = (migrations: Migration[], applied: string[]) =>
  migrations
    .filter((migration): migration is Migration & { replaces: Replacement } => migration.replaces !== undefined)
    .find(({ replaces }) => replaces.names.some((name) => applied.includes(name)))

/** Returns the name of the squashed migration that the database was converted to, if it was. */
async function convertOlderSchema(
  database: Database,
  migrations: Migration[],
  say: (text: string) => void,
): Promise<string[]> {
  const applied = await appliedTo(database)
  const squashed = replacementOf(migrations, applied)
  if (!squashed) return []
  const { name, replaces } = squashed
  const { names, howToGetThere } = replaces
  const missing = names.filter((name) => !applied.includes(name))
  if (missing.length > 0) throw new Error(`The database is too old: it lacks ${missing.join(', ')}. ${howToGetThere}`)
  await database.transaction(async (trx) => {
    await replaces.convert(trx, () => squashed.up(trx), say)
    await trx('migrations').whereIn('name', names).delete()
    await trx('migrations').insert({ name, batch: 1, migration_time: new Date() })
  })
  return [name]
}

async function refuseNewerSchema(database: Database, migrations: Migration[]): Promise<void> {
  const known = new Set(migrations.flatMap(({ name, replaces }) => [name, ...(replaces?.names ?? [])]))
  const unknown = (await appliedTo(database)).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new Error(`The database is newer than this code, which lacks ${unknown.join(', ')}. Run the newer code.`)
}
