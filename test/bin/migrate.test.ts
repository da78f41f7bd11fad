// @promise migrations
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from '../../bin/execa.ts'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrate, rollback, type Migration } from '../../src/database/migrate.ts'
import { createEmptyDatabase, createTestDatabase } from '../helpers/database.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const script = join(import.meta.dirname, '../../bin/migrate.ts')
const silent = () => undefined

const marks: Migration = {
  name: '29990101000000-marks',
  up: (knex) => knex.raw('create table marks (id int); select pg_sleep(0.5)'),
  down: (knex) => knex.raw('drop table marks'),
}
const list = [...migrations, marks]

function connect(t: ExecutionContext, url: string) {
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}
const migrated = async (t: ExecutionContext) => connect(t, (await createTestDatabase(t)).url)

const command = (url: string, ...args: string[]) =>
  execa(process.execPath, [script, ...args], {
    env: { ...ownEnvironment(), DATABASE_URL: url },
    extendEnv: false,
    reject: false,
  })

test('the last batch of migrations can be rolled back, and migrating again brings it back', async (t) => {
  const database = await migrated(t)
  const hasMarks = () => database.schema.hasTable('marks')
  t.deepEqual(await migrate(database, list, silent), [marks.name])
  t.true(await hasMarks())
  t.deepEqual(await rollback(database, list, silent), [marks.name])
  t.false(await hasMarks())
  t.deepEqual(await migrate(database, list, silent), [marks.name])
})

test('the command makes the schema, also after it was killed, and rolls back all but the baseline', async (t) => {
  const { url } = await createEmptyDatabase(t)
  const database = connect(t, url)
  await database.raw(
    'create table migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz)',
  )
  t.regex((await command(url)).stdout, /Applied: baseline-[0-9a-f]{12}/)
  t.like(await command(url), { exitCode: 0, stdout: 'Nothing to do.' })
  const [, ...later] = migrations.map(({ name }) => name)
  t.is((await command(url, '--rollback')).stdout, `Rolled back: ${later.at(-1)}`)
  for (const name of later.toReversed().slice(1)) t.deepEqual(await rollback(database, migrations, silent), [name])
  const { exitCode, stderr } = await command(url, '--rollback')
  t.is(exitCode, 1)
  t.regex(stderr, /The baseline cannot be rolled back: everything would be deleted/)
  t.true(await database.schema.hasTable('users'))
})

test('of several processes that migrate at once one does it and the others wait for it', async (t) => {
  const { url } = await createTestDatabase(t)
  const waiting: string[] = []
  const runs = [1, 2, 3].map(() => migrate(connect(t, url), list, (text) => waiting.push(text)))
  t.deepEqual((await Promise.all(runs)).flat(), [marks.name])
  t.is(waiting.length, 2)
})

test('a lock that a dead process left does not stop a migration', async (t) => {
  const database = await migrated(t)
  await database('migrations_lock').update({ is_locked: 1 })
  t.deepEqual(await migrate(database, list, silent), [marks.name])
})

test('a database that is newer than the code is refused by the name of what the code lacks', async (t) => {
  const database = await migrated(t)
  await database('migrations').insert({ name: marks.name, batch: 2, migration_time: new Date() })
  await t.throwsAsync(migrate(database, migrations, silent), { message: new RegExp(marks.name) })
})
