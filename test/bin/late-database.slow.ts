import test, { type ExecutionContext } from 'ava'
import { Client } from 'pg'
import * as health from '../../api/health.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { call } from '../helpers/client.ts'
import { openDatabaseDoor } from '../helpers/database-door.ts'
import { createEmptyDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { otherDatabase, refusal } from '../helpers/other-database.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { startProcess } from '../helpers/processes.ts'

/** A process that has started while its database was away, and how to ask whether it is ready. */
async function startEarly(t: ExecutionContext, name: 'api' | 'worker', database: string) {
  const door = await openDatabaseDoor(t, database)
  await door.stop()
  const [port = 0] = await freePorts(1)
  const own = { DATABASE_URL: door.url, DATABASE_WAIT_SECONDS: '2', RECONCILE_SECONDS: '0.1' }
  const env = { ...own, [name === 'api' ? 'PORT' : 'WORKER_HEALTH_PORT']: String(port) }
  const started = await startProcess(t, name, await testEnvironment(t, { env }))
  const url = `http://127.0.0.1:${port}`
  const isReady = async () => {
    const path = name === 'api' ? '/readyz' : '/healthz'
    return (await fetch(`${url}${path}`)).status === 200 || undefined
  }
  /** An API tells whoever asks why it is not ready. */
  const isTold = async () => {
    if (name !== 'api') return true
    const { status, failure, headers } = await call({ url }, health.readyz)
    return status === 500 && /cannot reach its database/.test(failure.error) && headers.has('retry-after')
  }
  return { door, isReady, isTold, ...started }
}

/** Keeps everybody from reading which baseline has made the database. Writing elsewhere is free. */
async function lockMigrations(t: ExecutionContext, database: string) {
  const client = new Client({ connectionString: database })
  await client.connect()
  t.teardown(() => client.end())
  await client.query('begin; lock table migrations')
  // Unlike pg_stat_activity, this view is not cached during a transaction.
  const waiting = `select count(*)::int as waiting from pg_locks where relation = 'migrations'::regclass and not granted`
  return {
    count: async () => (await client.query<{ waiting: number }>(waiting)).rows[0]?.waiting ?? 0,
    release: () => client.query('rollback'),
  }
}

for (const name of ['api', 'worker'] as const) {
  test(`${name}: started while Postgres is away, it changes nothing in a database that it then refuses`, async (t) => {
    const { url, look } = await otherDatabase(t, 'of another baseline')
    const before = await look()
    const { door, isReady, isTold, logs, ended } = await startEarly(t, name, url)
    t.true(await isTold())
    const lock = await lockMigrations(t, url)
    await door.start()
    // One of them proves the keys. The others are loops.
    await eventually(30, 'loops wait for the schema', async () => (await lock.count()) > 1 || undefined)
    t.falsy(await isReady())
    t.true(await isTold(), 'also while the database is there and not yet known to be the right one')
    await lock.release()
    t.is(await ended, 1)
    t.regex(logs.join('\n'), refusal)
    t.deepEqual(await look(), before)
  })

  test(`${name}: started while Postgres is away, it becomes ready once Postgres is there and migrated`, async (t) => {
    const { url } = await createEmptyDatabase(t)
    const started = await startEarly(t, name, url)
    const { door, isReady, logs } = started
    t.falsy(await isReady())
    await door.start()
    const failed = 'The database has not been migrated yet'
    await eventually(30, 'it finds no schema', () => logs.some((line) => line.includes(failed)) || undefined)
    t.falsy(await isReady())
    // As `npm run migrate` does: its lock is a transaction that is idle for as long as the migrations take.
    const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'), {
      deadlines: false,
    })
    t.teardown(() => database.destroy())
    await migrate(database, migrations, () => undefined)
    await eventually(30, 'it is ready', isReady)
    t.is(await started.stop(), 0)
  })
}
