import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { migrations } from '../../../migrations/index.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { createControl, type Control } from '../control.ts'
import { freePorts } from '../ports.ts'
import { embeddedPostgres, ensureDatabase, type EmbeddedPostgres } from '../postgres/postgres.ts'
import type { ProcessRecord } from '../process-record.ts'
import { temporalServer } from '../temporal/server.ts'

/** It needs a third of a core. With more cores it spends another tenth on sharing the work. */
const onOneCore = { GOMAXPROCS: '1' }

/** The inputs for test servers, which the runner passes to the tests in the environment. */
export interface TestServerOptions {
  /** A folder that is removed afterwards. */
  folder: string
  record: ProcessRecord
  environment: Record<string, string>
}

/** Starts a fast, unsafe Postgres with its own port and data, and one migrated database of this name. */
export async function testPostgres(
  { folder, record, environment }: TestServerOptions,
  database: string,
): Promise<{ control: Control; server: EmbeddedPostgres }> {
  const [port = 0] = await freePorts(1)
  await mkdir(folder, { recursive: true })
  const server = await embeddedPostgres({ folder, port, password: 'test', environment, fast: true })
  const control = createControl(server.program, record)
  await control.start()
  await ensureDatabase(server.url('postgres'), database)
  await migrateOnce(server.url(database))
  return { control, server }
}

/** Starts a Temporal dev server with its own port. It keeps its data over a restart only if `lasting`. */
export async function testTemporal(
  { folder, record, environment }: TestServerOptions,
  binary: string,
  lasting: boolean,
): Promise<{ control: Control; address: string }> {
  const [port = 0] = await freePorts(1)
  await mkdir(folder, { recursive: true })
  const databaseFile = lasting ? { databaseFile: join(folder, `temporal-${port}.db`) } : {}
  const control = createControl(
    temporalServer({ binary, port, environment: { ...environment, ...onOneCore }, ...databaseFile }),
    record,
  )
  await control.start()
  return { control, address: `127.0.0.1:${port}` }
}

async function migrateOnce(url: string): Promise<void> {
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'migrate'), {
    deadlines: false,
  })
  try {
    await migrate(database, migrations, () => undefined)
  } finally {
    await database.destroy()
  }
}
