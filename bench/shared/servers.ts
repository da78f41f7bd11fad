import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createControl, type Control } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { embeddedPostgres, ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { nodeFlags } from '../../bin/node-flags.ts'
import { findTemporal } from '../../bin/local/temporal/binary.ts'
import { temporalServer } from '../../bin/local/temporal/server.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { letPostgresIn, record } from './folder.ts'

export type BenchServers = Awaited<ReturnType<typeof openBenchServers>>
export type BenchStores = Awaited<ReturnType<typeof openBenchStores>>

/**
 * A Postgres that waits for its disk at every commit, as in production, and one API process. To run agents, also the
 * Temporal server of `npm start` and one worker process. Postgres loads these libraries when it starts.
 */
export async function openBenchServers(
  folder: string,
  carryOut = false,
  more: Record<string, string> = {},
  libraries: string[] = [],
) {
  const stores = await openBenchStores(folder, carryOut, more, libraries)
  const processes = [await begin('api', stores.env, 'listening')]
  if (carryOut) processes.push(await begin('worker', stores.env, 'polling'))
  return {
    ...stores,
    /** The API, and the worker if there is one. */
    processes,
    async close(): Promise<void> {
      await Promise.all(processes.map(stop))
      await stores.close()
    },
  }
}

/** What the processes of the platform need: the migrated database, and Temporal to run agents. */
export async function openBenchStores(
  folder: string,
  carryOut = false,
  more: Record<string, string> = {},
  libraries: string[] = [],
) {
  mkdirSync(folder, { recursive: true })
  letPostgresIn(folder)
  const local = readLocalConfig()
  const { environment } = local
  const [postgresPort = 0, port = 0, temporalPort = 0] = await freePorts(3)
  const controls: Control[] = []
  if (carryOut) controls.push(await startTemporal(await findTemporal(local, record, console.log)))
  const postgres = await embeddedPostgres({ folder, port: postgresPort, password: 'bench', environment })
  const preloaded = `shared_preload_libraries = '${libraries.join(',')}'\n`
  appendFileSync(join(postgres.dataFolder, 'postgresql.auto.conf'), preloaded)
  const control = createControl(postgres.program, record)
  await control.start()
  controls.push(control)
  const openDatabase = async (name: string): Promise<string> => {
    await ensureDatabase(postgres.url('postgres'), name)
    return postgres.url(name)
  }
  const database = await openDatabase('bench')
  const temporal = carryOut ? `127.0.0.1:${temporalPort}` : unusedAddress
  const env = { ...environment, ...settings(database, port, temporal), ...more }
  await once(program('migrate', env), 'exit')
  return {
    database,
    /** The URL of another database of the same server, which is created if it does not exist. */
    openDatabase,
    temporal,
    /** The environment of the platform's processes. */
    env,
    url: `http://127.0.0.1:${port}`,
    /** The process of `postgres` or `temporal`. */
    pidOf: (name: string): number => Number(controls.find((each) => each.name === name)?.pid()),
    async close(): Promise<void> {
      for (const each of controls.toReversed()) await each.stop()
    },
  }

  async function startTemporal(binary: string): Promise<Control> {
    const databaseFile = join(folder, 'temporal.db')
    const control = createControl(temporalServer({ binary, port: temporalPort, databaseFile, environment }), record)
    await control.start()
    return control
  }
}

/** Accepting needs no Temporal. */
const unusedAddress = '127.0.0.1:1'

/** Without limits, because limits are not measured. */
function settings(database: string, port: number, temporal: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    DATABASE_URL: database,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    SITE_LOOPBACK: 'true',
    TEMPORAL_ADDRESS: temporal,
    LOG_LEVEL: 'info',
    CANARY_SECONDS: '0',
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_AUTH_PER_MINUTE: '1000000000',
    RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000000',
    RATE_LIMIT_CHANGES_PER_MINUTE: '1000000000',
    RATE_LIMIT_CHANGES_PER_DAY: '1000000000',
    QUEUE_DEPTH: '1000000000',
    VAULT_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

const program = (name: string, env: Record<string, string>) =>
  spawn(process.execPath, [...nodeFlags, fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url))], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

async function stop(process: ReturnType<typeof program>): Promise<void> {
  const ended = once(process, 'exit')
  process.kill('SIGTERM')
  await ended
}

/** Starts a process and waits until it logs this message. */
async function begin(name: string, env: Record<string, string>, message: string) {
  const process = program(name, env)
  record.add(name, Number(process.pid), 'SIGTERM')
  const lines = createInterface({ input: process.stdout })
  await new Promise<void>((resolve, reject) => {
    process.once('exit', () => reject(new Error(`the ${name} ended before it said "${message}"`)))
    lines.on('line', (line) => {
      if (line.includes(`"msg":"${message}"`)) resolve()
    })
  })
  return Object.assign(process, { lines })
}
