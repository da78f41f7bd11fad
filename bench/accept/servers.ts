import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres.ts'
import { createProcessRecord } from '../../bin/local/process-record.ts'
import { readLocalConfig } from '../../src/config.ts'

export type BenchServers = Awaited<ReturnType<typeof openBenchServers>>

/** A Postgres that waits for its disk at every commit, as in production, and one API process; no worker. */
export async function openBenchServers(folder: string) {
  const { environment } = readLocalConfig()
  const [postgresPort = 0, port = 0] = await freePorts(2)
  const record = createProcessRecord(join(folder, 'processes'))
  const postgres = await embeddedPostgres({ folder, port: postgresPort, password: 'bench', environment })
  const control = createControl(postgres.program, record)
  await control.start()
  const database = postgres.url('bench')
  await ensureDatabase(postgres.url('postgres'), 'bench')
  const env = { ...environment, ...settings(database, port) }
  await once(program('migrate', env), 'exit')
  const api = program('api', env)
  await listening(api)
  return {
    database,
    url: `http://127.0.0.1:${port}`,
    async close(): Promise<void> {
      const ended = once(api, 'exit')
      api.kill('SIGTERM')
      await ended
      await control.stop()
    },
  }
}

/** The limits are lifted, because they are not what is measured; Temporal is away, because accepting needs none. */
function settings(database: string, port: number): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    DATABASE_URL: database,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'info',
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000000',
    QUEUE_DEPTH: '1000000000',
    VAULT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

const program = (name: string, env: Record<string, string>) =>
  spawn(process.execPath, [fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url))], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

async function listening(api: ReturnType<typeof program>): Promise<void> {
  const lines = createInterface({ input: api.stdout })
  await new Promise<void>((resolve, reject) => {
    api.once('exit', () => reject(new Error('the API ended before it listened')))
    lines.on('line', (line) => {
      if (line.includes('"msg":"listening"')) resolve()
    })
  })
}
