// @promise other-schema
import { join } from 'node:path'
import test from 'ava'
import { execa } from 'execa'
import { createControl } from '../../bin/local/control.ts'
import { postgresOwner } from '../../bin/local/postgres/postgres-owner.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { makePrivateFolder } from '../../bin/local/private-folder.ts'
import { localSecrets } from '../../bin/local/secrets.ts'
import { migrations } from '../../migrations/index.ts'
import { createEmptyDatabase, onServer } from '../helpers/database.ts'
import { installation } from '../helpers/installation.ts'
import { ofManyMigrations, otherDatabase, refusal } from '../helpers/other-database.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { ownServerOptions, sharedServers } from '../helpers/servers.ts'

/** A Temporal of its own would prove nothing. */
const TEMPORAL_ADDRESS = sharedServers().temporal

const root = join(import.meta.dirname, '../..')

for (const [name, ...args] of [
  ['migrate'],
  ['migrate', '--rollback'],
  ['api'],
  ['worker'],
  ['admin', 'make-admin', 'a@b.example'],
]) {
  test(`a database of another baseline is refused by ${[name, ...args].join(' ')}, and not changed`, async (t) => {
    const { url, look } = await otherDatabase(t, 'of another baseline')
    const before = await look()
    const env = await testEnvironment(t, { env: { DATABASE_URL: url, PORT: '0' } })
    const options = { cwd: root, env, extendEnv: false, reject: false, timeout: 60_000 }
    const { exitCode, stderr } = await execa(process.execPath, [`bin/${name}.ts`, ...args], options)
    t.is(exitCode, 1)
    t.regex(stderr, refusal)
    t.regex(stderr, /Set DATABASE_URL to an empty database, and migrate it\./)
    t.deepEqual(await look(), before)
  })
}

for (const made of ['of many migrations', 'of another program', 'of no baseline'] as const) {
  test(`a database ${made} is refused by a migration, and not changed`, async (t) => {
    const { url, look } = await otherDatabase(t, made)
    const before = await look()
    const env = await testEnvironment(t, { env: { DATABASE_URL: url } })
    const { exitCode, stderr } = await execa(process.execPath, ['bin/migrate.ts'], {
      cwd: root,
      env,
      extendEnv: false,
      reject: false,
    })
    t.is(exitCode, 1)
    t.regex(stderr, refusal)
    t.deepEqual(await look(), before)
  })
}

test('a migration that was killed before the baseline is taken up again', async (t) => {
  const { url } = await createEmptyDatabase(t)
  const tables =
    'create table migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz)'
  await onServer(url, (client) => client.query(tables))
  const env = await testEnvironment(t, { env: { DATABASE_URL: url } })
  const { exitCode, stdout } = await execa(process.execPath, ['bin/migrate.ts'], { cwd: root, env, extendEnv: false })
  t.is(exitCode, 0)
  t.regex(stdout, /Applied: baseline-/)
})

test('a start is refused with the database of another version that DATABASE_URL names', async (t) => {
  const { url, look } = await otherDatabase(t, 'of another baseline')
  const before = await look()
  const { lines, ended } = (await installation({ DATABASE_URL: url, TEMPORAL_ADDRESS })).start()
  t.is(await ended, 1)
  t.regex(lines.join('\n'), refusal)
  t.regex(lines.join('\n'), /Set DATABASE_URL to an empty database/)
  t.deepEqual(await look(), before)
})

test('a start is refused with the data folder of another version, and says which folder to move away', async (t) => {
  const { data: folder, postgres: port, start, processes } = await installation({ TEMPORAL_ADDRESS })
  const { record, environment } = ownServerOptions()
  makePrivateFolder(folder, postgresOwner())
  const { postgresPassword: password } = localSecrets(folder)
  const server = await embeddedPostgres({ folder, port, password, environment })
  const control = createControl(server.program, record)
  await control.start()
  await ensureDatabase(server.url('postgres'), 'switchyard')
  await onServer(server.url('switchyard'), (client) => client.query(ofManyMigrations))
  await control.stop()
  const { lines, ended } = start()
  t.is(await ended, 1)
  t.regex(lines.join('\n'), refusal)
  t.true(lines.join('\n').includes(`Move ${folder}`), lines.join('\n'))
  t.regex(lines.join('\n'), /away or delete what is there, and start again\./)
  t.deepEqual(processes(), [])
})

test('the baseline is known by a hash of its SQL', (t) => {
  t.regex(migrations[0]?.name ?? '', /^baseline-[0-9a-f]{12}$/)
})
