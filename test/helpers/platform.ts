import { randomBytes, generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createApp } from '../../api/app.ts'
import { createHttpServer } from '../../api/server.ts'
import type { ProcessContext } from '../../bin/process.ts'
import type { LoopName } from '../../src/loops.ts'
import type { Clock } from '../../src/clock.ts'
import { migrations } from '../../migrations/index.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/logger.ts'
import { createServices, createStrangersThreads } from '../../src/services.ts'
import type { PasswordCost } from '../../src/users/passwords.ts'
import { createTestDatabase } from './database.ts'
import { temporaryCertificates } from './https-server.ts'
import { allowCopies } from './user-copies.ts'
import { cheapCost } from './passwords.ts'
import { runWorkflowsHere, sharedServers } from './servers.ts'
import type { Sites } from './sites.ts'
import { taskQueueFor } from './temporal.ts'

const { privateKey } = generateKeyPairSync('ed25519')

/** Keys for one test process. */
export const testKeys = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
}

/**
 * A thread takes half a second to load its code, so all platforms of a test process share their threads until it ends.
 */
const sharedThreads = { ...createStrangersThreads(), close: () => Promise.resolve() }

export interface PlatformOptions {
  sites?: Sites
  /** Whether to start a worker; without one, runs stay queued. */
  worker?: boolean
  /** The API's port, if the test must know it in advance; by default a free port. */
  port?: number
  /** A clock for tests that set the time. */
  clock?: Clock
  /** The cost of hashing a password; minimal by default. */
  passwordCost?: PasswordCost
  env?: Record<string, string>
}

/** The environment of a platform for this test: its database, its task queue, and the sites that it may reach. */
export async function testEnvironment(t: ExecutionContext, { sites, env = {} }: PlatformOptions) {
  const databaseUrl = env['DATABASE_URL'] ?? (await createTestDatabase(t)).url
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '8',
    // Tests that start many processes leave little processor time to the others for some seconds.
    DATABASE_WAIT_SECONDS: '20',
    TEMPORAL_ADDRESS: sharedServers().temporal,
    TASK_QUEUE: taskQueueFor(t),
    DEMO_DIRECTIVES: 'true',
    CANARY_SECONDS: '0',
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_CHANGES_PER_MINUTE: '1000000',
    RATE_LIMIT_CHANGES_PER_DAY: '1000000',
    RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
    RATE_LIMIT_RECOVERY_PER_HOUR: '1000000',
    RATE_LIMIT_TRIES_PER_HOUR: '1000000',
    RATE_LIMIT_BROWSER_PER_MINUTE: '1000000',
    RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '1000000',
    OUTGOING_PER_MINUTE: '1000000',
    // Test sites share an address.
    OUTGOING_COUNT_PORTS: 'true',
    SITE_LOOPBACK: 'true',
    SHUTDOWN_SECONDS: '1',
    // On a busy machine, an immediate failure must not become a late one.
    CHAT_START_SECONDS: '20',
    ...testKeys,
    // Test sites are servers of this machine. A test about refused addresses sets its own list.
    SITE_ALLOW: sites?.allow.join(',') ?? '127.0.0.0/8,::1/128',
    SITE_CA_FILE: sites?.caFile ?? (await temporaryCertificates()).caFile,
    ...env,
  }
}

/** The API, and optionally a worker, in this process, closed with the test. `logs` has every logged line. */
export async function startPlatform(t: ExecutionContext, options: PlatformOptions = {}) {
  const { server, serve } = createHttpServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const config = readConfig({ BASE_URL: url, ...(await testEnvironment(t, options)) })
  const logs: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void logs.push(line) })
  const services = createServices(config, logger, {
    clock: options.clock,
    passwordCost: options.passwordCost ?? cheapCost,
    threads: sharedThreads,
    migrations,
  })
  const endCopies = options.clock ? () => {} : allowCopies(url, services)
  const handle = createApp(services).callback()
  serve((request, response) => void handle(request, response))
  let stop = async () => {}
  /**
   * Starts a worker in this process, for example to replace a stopped or killed one. It reconciles Temporal with the
   * record only on request.
   */
  const startWorker = async (how: { reconciles?: boolean } = {}) =>
    void (stop = await startWorkerHere({ config, logger, services }, how))
  const stopWorker = () => stop()
  if (options.worker) await startWorker()
  t.teardown(async () => {
    endCopies()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await stopWorker()
    await services.close()
  })
  return { url, config, services, logger, logs, startWorker, stopWorker }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

let installed: Promise<void> | undefined

/** Await this before any use of Temporal's worker. It works only once per process. */
export const installRuntime = (): Promise<void> => (installed ??= install())

async function install(): Promise<void> {
  const { DefaultLogger, makeTelemetryFilterString, Runtime } = await import('@temporalio/worker')
  // Some tests stop Temporal, whose warnings would appear in their output.
  const telemetryOptions = { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } }
  runWorkflowsHere()
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR'), telemetryOptions })
}

/**
 * Loops that test workers omit, because tests run them manually and check the outcome. Some would also slow down every
 * test.
 */
const leftOut: readonly LoopName[] = ['billing', 'housekeeping', 'keep-alive', 'mails', 'manifests']

async function startWorkerHere(
  context: ProcessContext,
  { reconciles = false }: { reconciles?: boolean },
): Promise<() => Promise<void>> {
  // Loaded only for a worker, because Temporal's is a third of all the code that a test loads.
  await installRuntime()
  const { startWork } = await import('../../bin/work.ts')
  const without: readonly LoopName[] = reconciles ? leftOut : [...leftOut, 'forgotten agents', 'orphans']
  return startWork(context, { codePath: sharedServers().bundle }, without)
}
