// @promise backups
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { migrations } from '../../../migrations/index.ts'
import { writeBackup } from '../../../src/backups/backup-file.ts'
import { load } from '../../../src/backups/load.ts'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { assertSchema, migrate } from '../../../src/database/migrate.ts'
import { createLogger } from '../../../src/logger.ts'
import { createEmptyDatabase, createTestDatabase } from '../../helpers/database.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const connect = (t: ExecutionContext, url: string): Database => {
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => database.destroy())
  return database
}

const emptyDatabase = async (t: ExecutionContext) => connect(t, (await createEmptyDatabase(t)).url)

/** A hash of the rows of each table, and what else a schema consists of. */
async function contentOf(database: Database): Promise<Record<string, unknown>> {
  const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and relname not in ('arrivals', 'migrations_lock') and relpersistence = 'p' order by 1`,
  )
  const content: Record<string, unknown> = {}
  for (const { name } of tables) {
    const { rows } = await database.raw<{ rows: [object] }>(
      `select count(*)::int as rows, md5(string_agg(t::text, '|' order by t::text)) as hash from ${name} t`,
    )
    content[name] = rows[0]
  }
  return content
}

const schemaOf = async (database: Database): Promise<string[]> =>
  (await database.raw<{ rows: object[] }>(schemaStatement)).rows.map((row) => Object.values(row).join(' '))

/** What only one of two schemas has. */
async function differences(one: Database, other: Database) {
  const [left, right] = [new Set(await schemaOf(one)), new Set(await schemaOf(other))]
  return [...left.symmetricDifference(right)]
}

const schemaStatement = `
  select conrelid::regclass::text as "on", conname as name, pg_get_constraintdef(oid) || convalidated as what
    from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
  union all
  select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
  union all
  select sequencename, '', coalesce(last_value, 0)::text from pg_sequences where schemaname = 'public' and sequencename not like 'migrations_lock%'
  order by 1, 2, 3`

async function fill(t: ExecutionContext) {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  for (const payload of [{ text: 'tab\tback\\slash\nline \u2603' }, { text: 'second' }])
    await deliver(someone, agent, payload)
  // Written a few seconds later, otherwise.
  await platform.services.silence.flush()
  return platform
}

test('a loaded dump has every row, constraint, trigger, index and sequence, and the order of arrival goes on', async (t) => {
  const { services } = await fill(t)
  const path = join(await temporaryFolder(t), 'backup')
  const { rows, bytes } = await writeBackup({ database: services.database }, path)
  t.true(rows > 10 && bytes > 1000)
  const restored = await emptyDatabase(t)
  await load({ database: restored, migrations }, createReadStream(path))
  t.deepEqual(await contentOf(restored), await contentOf(services.database))
  t.deepEqual(await differences(restored, services.database), [])
  await assertSchema(restored, migrations)
})

test('a cut, damaged or foreign file changes nothing, and neither does a database that is in use', async (t) => {
  const { services } = await fill(t)
  const path = join(await temporaryFolder(t), 'backup')
  await writeBackup({ database: services.database }, path)
  const whole = await readFile(path)
  const changed = gunzipSync(whole)
  changed[changed.length - 200]! ^= 1
  const flipped = Buffer.from(whole)
  flipped[Math.floor(whole.length / 2)]! ^= 0xff
  const files: [what: string, bytes: Buffer, message: RegExp][] = [
    ['cut', whole.subarray(0, whole.length - 500), /ends too early|damaged/],
    ['cut between frames', gzipSync(gunzipSync(whole).subarray(0, -37)), /ends too early/],
    ['one bit of its content', gzipSync(changed), /./],
    ['one byte of the file', flipped, /./],
    ['more after the end', gzipSync(Buffer.concat([gunzipSync(whole), Buffer.from('x')])), /damaged/],
    ['another file', gzipSync('-- PostgreSQL database dump'), /not a backup/],
    ['no compressed file', Buffer.from('-- PostgreSQL database dump'), /damaged|not a backup/],
    ['empty', Buffer.alloc(0), /ends too early|not a backup/],
  ]
  const target = await emptyDatabase(t)
  for (const [what, bytes, message] of files) {
    await t.throwsAsync(load({ database: target, migrations }, Readable.from([bytes])), { message }, what)
    t.deepEqual(await contentOf(target), {}, what)
  }
  const used = connect(t, (await createTestDatabase(t)).url)
  const message = /not empty/
  await t.throwsAsync(load({ database: used, migrations }, createReadStream(path)), { message })
  // After all that, the same database takes the undamaged file.
  await load({ database: target, migrations }, Readable.from([whole]))
  t.deepEqual(await contentOf(target), await contentOf(services.database))
})

test('a dump shows one moment, whatever is written while it is made', async (t) => {
  const source = connect(t, (await createTestDatabase(t)).url)
  const path = join(await temporaryFolder(t), 'backup')
  const over = new AbortController()
  // Two tables that always agree, one near the beginning of a dump and one near its end.
  const write = () =>
    source.transaction(async (trx) => {
      await trx.raw(`insert into due_agents (agent_id, due_at) values (gen_random_uuid(), now())`)
      await trx.raw(`insert into workers (id, started_at, seen_at, polling, task_queue, version)
                     values (gen_random_uuid(), now(), now(), true, '', '')`)
    })
  await write()
  const writing = (async () => {
    while (!over.signal.aborted) await write()
  })()
  await writeBackup({ database: source }, path).finally(() => over.abort())
  await writing
  const target = await emptyDatabase(t)
  const { rows } = await load({ database: target, migrations }, createReadStream(path))
  t.true(rows['due_agents']! > 0)
  t.is(rows['due_agents'], rows['workers'])
  // A generated number is not given twice.
  await target.raw(`insert into due_agents (agent_id, due_at) values (gen_random_uuid(), now())`)
})

test('a dump of an older schema is loaded at that schema, and then migrated', async (t) => {
  const [baseline, ...others] = migrations
  const source = await emptyDatabase(t)
  await migrate(source, [baseline!], () => undefined)
  const path = join(await temporaryFolder(t), 'backup')
  await writeBackup({ database: source }, path)
  const indexing = {
    name: '29990101000200-leases-by-holder',
    config: { transaction: false },
    up: (knex: Database) => knex.raw('create index concurrently leases_holder on leases (holder)'),
    down: (knex: Database) => knex.raw('drop index concurrently leases_holder'),
  }
  const target = await emptyDatabase(t)
  await load({ database: target, migrations: [baseline!, ...others, indexing] }, createReadStream(path))
  t.deepEqual(
    await target('migrations').orderBy('id').pluck('name'),
    [baseline!, ...others, indexing].map(({ name }) => name),
  )
  // An index that needed no transaction is made again within the one of the restore.
  const again = join(await temporaryFolder(t), 'backup')
  await writeBackup({ database: target }, again)
  const second = await emptyDatabase(t)
  await load({ database: second, migrations: [baseline!, ...others, indexing] }, createReadStream(again))
  t.deepEqual(await differences(second, target), [])
  const message = /newer than this code/
  const third = await emptyDatabase(t)
  await t.throwsAsync(load({ database: third, migrations: [baseline!] }, createReadStream(again)), { message })
})
