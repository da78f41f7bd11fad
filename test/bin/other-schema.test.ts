// @promise other-schema
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import type { Client } from 'pg'
import { createControl } from '../../bin/local/control.ts'
import { postgresOwner } from '../../bin/local/postgres/postgres-owner.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { makePrivateFolder } from '../../bin/local/private-folder.ts'
import { localSecrets } from '../../bin/local/secrets.ts'
import { migrations } from '../../migrations/index.ts'
import { createEmptyDatabase, createTestDatabase, onServer } from '../helpers/database.ts'
import { installation } from '../helpers/installation.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { ownServerOptions } from '../helpers/servers.ts'

const root = join(import.meta.dirname, '../..')
const refusal =
  /The database was made by another version of Switchyard or by another program, and nothing was changed in it\./

/** As it was when the schema was a list of many migrations. */
const ofManyMigrations = `
  create table migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  insert into migrations (name, batch, migration_time) values
    ('20261122000300-baseline', 1, now()), ('20261123000100-direct-call-keys', 2, now());
  create table users (id uuid primary key, email text)`

/** As other programs make theirs: here with the tables of Laravel. */
const ofAnotherProgram = `
  create table migrations (id serial primary key, migration varchar(255), batch integer);
  create table users (id bigserial primary key)`

/** Of our own tables, without a record of which baseline made them. */
const ofNoBaseline = 'delete from migrations'

/** As it is once the SQL of the baseline has been edited. */
const ofAnotherBaseline = `update migrations set name = 'baseline-0123456789ab'`

const others = {
  'of many migrations': { sql: ofManyMigrations, create: createEmptyDatabase },
  'of another program': { sql: ofAnotherProgram, create: createEmptyDatabase },
  'of no baseline': { sql: ofNoBaseline, create: createTestDatabase },
  'of another baseline': { sql: ofAnotherBaseline, create: createTestDatabase },
}

/** A database that was made otherwise, and everything that can be seen to change in it. */
async function otherDatabase(t: ExecutionContext, made: keyof typeof others) {
  const { sql, create } = others[made]
  const { url } = await create(t)
  await onServer(url, (client) => client.query(sql))
  const look = () => onServer(url, everythingIn)
  return { url, look }
}

/** The tables with all rows, and where these lie: a row that is written lies somewhere else. */
async function everythingIn(client: Client): Promise<unknown> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  const found: unknown[] = []
  for (const { name } of rows) found.push(name, (await client.query(`select ctid, xmin, t.* from ${name} t`)).rows)
  return found
}

for (const made of ['of many migrations', 'of another baseline'] as const) {
  for (const [name, ...args] of [
    ['migrate'],
    ['migrate', '--rollback'],
    ['api'],
    ['worker'],
    ['admin', 'a@b.example'],
  ]) {
    test(`a database ${made} is refused by ${[name, ...args].join(' ')}, and not changed`, async (t) => {
      const { url, look } = await otherDatabase(t, made)
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
}

for (const made of ['of another program', 'of no baseline'] as const) {
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
  const { lines, ended } = (await installation({ DATABASE_URL: url })).start()
  t.is(await ended, 1)
  t.regex(lines.join('\n'), refusal)
  t.regex(lines.join('\n'), /Set DATABASE_URL to an empty database/)
  t.deepEqual(await look(), before)
})

test('a start is refused with the data folder of another version, and says which folder to move away', async (t) => {
  const { data: folder, postgres: port, start } = await installation()
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
})

test('the baseline is known by a hash of its SQL', (t) => {
  t.regex(migrations[0]?.name ?? '', /^baseline-[0-9a-f]{12}$/)
})
