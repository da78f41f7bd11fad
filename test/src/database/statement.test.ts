import { connect, createServer, type AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createDatabase, isTransient, type Database } from '../../../src/database/database.ts'
import { statement } from '../../../src/database/statement.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { startPgBouncer } from '../../helpers/pgbouncer.ts'
import { testWith } from '../../helpers/programs.ts'

const open = (t: ExecutionContext, url: string, pool = 1): Database => {
  const database = createDatabase({ database: { url, pool } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}

async function preparedIn(database: Database, text: string): Promise<number> {
  const { rows } = await database.raw<{ rows: unknown[] }>(
    `select 1 from pg_prepared_statements where from_sql = false and statement like '%' || ? || '%'`,
    [text],
  )
  return rows.length
}

/** Like a pooler, tells its clients numbers of sessions that are not those of Postgres. */
async function openPooler(t: ExecutionContext, database: string): Promise<string> {
  const { hostname, port } = new URL(database)
  const server = createServer((client) => {
    const postgres = connect(Number(port), hostname)
    client.on('error', () => undefined).on('close', () => postgres.destroy())
    client.pipe(postgres)
    postgres
      .on('error', () => undefined)
      .on('close', () => client.destroy())
      .on('data', (bytes: Buffer) => {
        // The message BackendKeyData: its type, its length, and the number.
        const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
        if (at !== -1) bytes.writeInt32BE(1, at + 5)
        client.write(bytes)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  url.search = ''
  return url.href
}

test('a statement binds names, in casts and more than once, and is prepared once in each session', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = open(t, url)
  const add = statement<{ sum: number; at: Date }>(
    'select :one::int + :other::int + :one::int as sum, :at::timestamptz as at /* added */',
  )
  const at = new Date('2026-01-01T00:00:00Z')
  for (const other of [3, 4]) {
    const { rows, rowCount } = await add(database, { one: 1, other, at, unused: 'x' })
    t.deepEqual([rows, rowCount], [[{ sum: 2 + other, at }], 1])
  }
  await database.transaction(async (trx) => t.is((await add(trx, { one: 5, other: 5, at })).rows[0]?.sum, 15))
  t.is(await preparedIn(database, '/* added */'), 1)
  await t.throwsAsync(async () => add(database, { one: 1, at }), { message: /binding other/ })
})

test('a statement that its session refuses runs again, and in a transaction a retry succeeds', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = open(t, url)
  await database.raw("create table things (id int, name text); insert into things values (1, 'one')")
  const read = statement<{ name: string }>('select name from things where id = :id /* retyped */')
  const once = async () => (await read(database, { id: 1 })).rows[0]?.name
  t.is(await once(), 'one')
  t.is(await preparedIn(database, '/* retyped */'), 1)
  // As by a migration, while processes of the version before are running.
  await database.raw('alter table things alter column name type varchar(99)')
  const another = open(t, url)
  const inTransaction = () => another.transaction(async (trx) => (await read(trx, { id: 1 })).rows[0]?.name)
  t.is(await inTransaction(), 'one')
  t.is(await once(), 'one')
  await database.raw('alter table things alter column name type varchar(98)')
  t.true(isTransient(await t.throwsAsync(inTransaction)))
  t.is(await inTransaction(), 'one')
  t.is(await database.transaction(async (trx) => (await read(trx, { id: 1 })).rows[0]?.name), 'one')
  t.true(isTransient(await t.throwsAsync(async () => database.raw('execute unknown'))))
})

test('behind a pooler nothing is prepared, because its sessions are not those of its clients', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = open(t, await openPooler(t, url))
  await database.raw('select 1')
  const add = statement<{ sum: number }>('select :one::int + 1 as sum /* pooled */')
  t.is((await add(database, { one: 1 })).rows[0]?.sum, 2)
  t.is(await preparedIn(database, '/* pooled */'), 0)
})

testWith('pgbouncer')('a pool behind PgBouncer prepares nothing while a direct pool of the process does', async (t) => {
  const { url } = await createTestDatabase(t)
  const ignored = 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout'
  const pooledUrl = await startPgBouncer(t, url, { ignored })
  const direct = open(t, url)
  const add = statement<{ sum: number }>('select :one::int + 1 as sum /* beside */')
  t.is((await add(direct, { one: 1 })).rows[0]?.sum, 2)
  const pools = [1, 2].map(() => open(t, pooledUrl, 4))
  const asked = Array.from({ length: 40 }, async (_, one) => {
    const pool = pools[one % 2]!
    if (one % 4 < 2) return (await add(pool, { one })).rows[0]?.sum
    return pool.transaction(async (trx) => {
      await trx.raw('select pg_sleep(0.01)')
      return (await add(trx, { one })).rows[0]?.sum
    })
  })
  t.deepEqual(
    await Promise.all(asked),
    Array.from({ length: 40 }, (_, one) => one + 1),
  )
  t.is(await preparedIn(direct, '/* beside */'), 1)
  for (const pool of pools) t.is(await preparedIn(pool, '/* beside */'), 0)
})
