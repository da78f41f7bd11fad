import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { migrations } from '../../../migrations/index.ts'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { migrate, type Migration } from '../../../src/database/migrate.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'

const silent = () => undefined

const adding: Migration = {
  name: '29990101000100-mood',
  up: (knex) => knex.raw('alter table leases add column mood text'),
  down: (knex) => knex.raw('alter table leases drop column mood'),
}

const indexing: Migration = {
  name: '29990101000200-leases-by-holder',
  config: { transaction: false },
  up: (knex) => knex.raw('create index concurrently leases_holder on leases (holder)'),
  down: (knex) => knex.raw('drop index concurrently leases_holder'),
}

/** Without deadlines, as the command connects: a migration's session may be idle while another waits for a lock. */
async function connect(t: ExecutionContext): Promise<Database> {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 6 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => database.destroy())
  return database
}

const write = (knex: Database, name: string) =>
  knex('leases').insert({ name, holder: '00000000-0000-7000-8000-000000000000', expiresAt: new Date() })

/** Until a statement with this text waits for a lock. */
async function untilWaiting(database: Database, text: string): Promise<void> {
  const waiting = database('pg_stat_activity').where({ waitEventType: 'Lock' }).whereLike('query', `${text}%`)
  for (let tries = 0; (await waiting.clone().select('pid')).length === 0; tries += 1) {
    if (tries > 200) throw new Error(`nothing that waits begins with ${text}`)
    await wait(20)
  }
}

// @promise migrations
test('a migration that a long reader keeps waiting tries again, lets writers pass soon, and changes nothing', async (t) => {
  const database = await connect(t)
  const reader = await database.transaction()
  t.teardown(() => reader.rollback())
  await reader('leases').select('name')
  const told: string[] = []
  const migrating = t.throwsAsync(migrate(database, [...migrations, adding], (text) => told.push(text), [0.2]))
  await untilWaiting(database, 'alter table leases')
  const began = Date.now()
  await write(database, 'behind the migration')
  t.true(Date.now() - began < 4000)
  t.regex(
    (await migrating)?.message ?? '',
    /migration 29990101000100-mood waited .* changed nothing\. Run the migrations again/,
  )
  t.is(told.length, 1)
  t.regex(told[0] ?? '', /29990101000100-mood waited 2 seconds .* changed nothing\. Trying again in 0\.2 seconds/)
  t.false(await database.schema.hasColumn('leases', 'mood'))
  await reader.rollback()
  t.deepEqual(await migrate(database, [...migrations, adding], silent), [adding.name])
  t.true(await database.schema.hasColumn('leases', 'mood'))
})

/** Locks one table, then another. */
const twice: Migration = {
  name: '29990101000300-twice',
  up: async (knex) => {
    await knex.raw('alter table leases add column mood text')
    await knex.raw('alter table model_outages add column mood text')
  },
  down: () => Promise.resolve(),
}

// @promise migrations
test('a migration that meets a deadlock with a writer tries again and succeeds', async (t) => {
  const database = await connect(t)
  const writer = await database.transaction()
  t.teardown(() => writer.rollback())
  // Only the migration looks for deadlocks while both wait, so it is the one that Postgres ends.
  await writer.raw("set local deadlock_timeout = '1min'")
  await writer.raw('lock table model_outages in row exclusive mode')
  const told: string[] = []
  const migrating = migrate(database, [...migrations, twice], (text) => told.push(text), [0.2])
  await untilWaiting(database, 'alter table model_outages')
  await write(writer, 'crosswise')
  await writer.commit()
  t.deepEqual(await migrating, [twice.name])
  t.deepEqual(told, [`The migration ${twice.name} met a deadlock and changed nothing. Trying again in 0.2 seconds.`])
  t.true(await database.schema.hasColumn('model_outages', 'mood'))
})

// @promise migrations
test('an index is built concurrently while others write, one for long, and another process wants to migrate', async (t) => {
  const database = await connect(t)
  const writer = await database.transaction()
  t.teardown(() => writer.rollback())
  await write(writer, 'long')
  const migrating = migrate(database, [...migrations, indexing], silent)
  await untilWaiting(database, 'create index concurrently')
  const told: string[] = []
  const second = migrate(database, [...migrations, indexing], (text) => told.push(text))
  await write(database, 'meanwhile')
  // Longer than a migration in a transaction may wait.
  await wait(2500)
  await writer.commit()
  t.deepEqual(await migrating, [indexing.name])
  t.deepEqual(await second, [])
  t.is(told.length, 1)
  const { rows } = await database.raw<{ rows: { valid: boolean }[] }>(
    `select indisvalid as valid from pg_index where indexrelid = 'leases_holder'::regclass`,
  )
  t.deepEqual(rows, [{ valid: true }])
})

test('migrations that went well are kept when a later one fails', async (t) => {
  const database = await connect(t)
  const failing: Migration = { ...indexing, config: { transaction: true } }
  await t.throwsAsync(migrate(database, [...migrations, adding, failing], silent), { message: /cannot run inside/ })
  t.true(await database.schema.hasColumn('leases', 'mood'))
  t.deepEqual(await migrate(database, [...migrations, adding], silent), [])
})
