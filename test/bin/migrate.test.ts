// @promise migrations
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrate, rollback, type Migration } from '../../src/database/migrate.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const script = join(import.meta.dirname, '../../bin/migrate.ts')
const silent = () => undefined

const slowMigration = (name: string): Migration => ({
  name,
  up: (knex) => knex.raw('create table marks (id int); select pg_sleep(0.5)'),
  down: (knex) => knex.raw('drop table marks'),
})

function connect(url: string) {
  return createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
}

test('a migrated database has nothing to do', async (t) => {
  const database = connect((await createTestDatabase(t)).url)
  t.teardown(() => database.destroy())
  t.deepEqual(await migrate(database, migrations, silent), [])
})

test('the last batch of migrations can be rolled back, and migrating again brings it back', async (t) => {
  const database = connect((await createTestDatabase(t)).url)
  t.teardown(() => database.destroy())
  const list = [...migrations, slowMigration('29990101000000-marks')]
  const hasMarks = () => database.schema.hasTable('marks')
  t.deepEqual(await migrate(database, list, silent), ['29990101000000-marks'])
  t.true(await hasMarks())
  t.deepEqual(await rollback(database, list, silent), ['29990101000000-marks'])
  t.false(await hasMarks())
  t.deepEqual(await migrate(database, list, silent), ['29990101000000-marks'])
})

test('the command does not roll back the baseline, which would delete everything', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = connect(url)
  t.teardown(() => database.destroy())
  const env = { ...ownEnvironment(), DATABASE_URL: url }
  const command = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args], { env })
  const { stderr } = await t.throwsAsync<Error & { stderr: string }>(command('--rollback'))
  t.regex(stderr, /The baseline cannot be rolled back: everything would be deleted/)
  t.true(await database.schema.hasTable('users'))
  t.is((await command()).stdout, 'Nothing to do.\n')
})

test('of several processes that migrate at once one does it and the others wait for it', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = connect(url)
  t.teardown(() => database.destroy())
  const waiting: string[] = []
  const list = [...migrations, slowMigration('29990101000000-marks')]
  const runs = await Promise.all(
    [1, 2, 3].map(async () => {
      const own = connect(url)
      t.teardown(() => own.destroy())
      return migrate(own, list, (text) => waiting.push(text))
    }),
  )
  t.deepEqual(runs.flat(), ['29990101000000-marks'])
  t.is(waiting.length, 2)
})

test('a lock that a dead process left does not stop a migration', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = connect(url)
  t.teardown(() => database.destroy())
  await database('migrations_lock').update({ is_locked: 1 })
  t.deepEqual(await migrate(database, [...migrations, slowMigration('29990101000000-marks')], silent), [
    '29990101000000-marks',
  ])
})

test('a database that is newer than the code is refused by the name of what the code lacks', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = connect(url)
  t.teardown(() => database.destroy())
  await database('migrations').insert({ name: '29990101000000-future', batch: 2, migration_time: new Date() })
  await t.throwsAsync(migrate(database, migrations, silent), { message: /29990101000000-future/ })
})
