import type { Knex } from 'knex'
import type { Database } from './database.ts'

/** One change of the schema. Never edited after it was merged. */
export interface Migration {
  /** `<yyyymmddhhmm>-<what>`; recorded in the database, so it never changes. */
  name: string
  up(knex: Knex): Promise<unknown>
  down(knex: Knex): Promise<unknown>
}

/** An arbitrary number; no other advisory lock in this database uses it. */
const lockNumber = 7_215_340_911

/**
 * Brings the schema up to date. Returns the names of the migrations that were applied. Safe to run in several processes
 * at once: one migrates, the others wait. Throws if the database has migrations that this code lacks.
 */
export function migrate(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, say, async () => {
    await refuseNewerSchema(database, migrations)
    const [, applied] = (await database.migrate.latest(settings(migrations))) as [number, string[]]
    return applied
  })
}

/** Rolls back the last batch of migrations. Returns their names. */
export function rollback(database: Database, migrations: Migration[], say: (text: string) => void): Promise<string[]> {
  return underLock(database, say, async () => {
    await refuseNewerSchema(database, migrations)
    const [, undone] = (await database.migrate.rollback(settings(migrations))) as [number, string[]]
    return undone
  })
}

const settings = (migrations: Migration[]): Knex.MigratorConfig => ({
  tableName: 'migrations',
  migrationSource: {
    getMigrations: () => Promise.resolve(migrations),
    getMigrationName: (migration: Migration) => migration.name,
    getMigration: (migration: Migration) => Promise.resolve(migration),
  },
})

/**
 * Knex' own lock makes a second process fail, and stays locked when a process dies. So this is an advisory lock of a
 * transaction: others wait for it, and it ends with its connection. Its holder may free Knex' lock.
 */
function underLock<T>(database: Database, say: (text: string) => void, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: { taken: boolean }[] }>(
      'select pg_try_advisory_xact_lock(:lockNumber) as taken',
      { lockNumber },
    )
    if (!rows[0]?.taken) {
      say('Another process is migrating this database; waiting for it.')
      await transaction.raw('select pg_advisory_xact_lock(:lockNumber)', { lockNumber })
    }
    await database.migrate.forceFreeMigrationsLock({ tableName: 'migrations' })
    return work()
  })
}

async function refuseNewerSchema(database: Database, migrations: Migration[]): Promise<void> {
  if (!(await database.schema.hasTable('migrations'))) return
  const { rows: applied } = await database.raw<{ rows: { name: string }[] }>('select name from migrations')
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = applied.map(({ name }) => name).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new Error(`The database is newer than this code, which lacks ${unknown.join(', ')}. Run the newer code.`)
}
