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

/** It needs a third of one; on more it spends a tenth besides on sharing the work out. */
const onOneCore = { GOMAXPROCS: '1' }

/** What servers for tests are made from; handed from the runner to the tests through the environment. */
export interface TestServerOptions {
  /** A folder that is thrown away afterwards. */
  folder: string
  record: ProcessRecord
  environment: Record<string, string>
}

/** A Postgres of its own port and data, fast and unsafe, started, with one migrated database of this name. */
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

/** A Temporal dev server of its own port, started; it keeps its data over a restart only if `lasting`. */
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
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'migrate'))
  try {
    await migrate(database, migrations, () => undefined)
  } finally {
    await database.destroy()
  }
}
