import { randomBytes, generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createApp } from '../../api/app.ts'
import { createHttpServer } from '../../api/server.ts'
import type { ProcessContext } from '../../bin/process.ts'
import type { LoopName } from '../../src/loops.ts'
import type { Clock } from '../../src/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/logger.ts'
import { createServices } from '../../src/services.ts'
import { createTestDatabase } from './database.ts'
import { cheapCost } from './passwords.ts'
import { runWorkflowsHere, sharedServers } from './servers.ts'
import type { Sites } from './sites.ts'
import { taskQueueFor } from './temporal.ts'

const { privateKey } = generateKeyPairSync('ed25519')

/** Keys for one test process; nothing outlives it. */
export const testKeys = {
  VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  JWT_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
}

export interface PlatformOptions {
  /** Example sites that the platform may reach. */
  sites?: Sites
  /** Whether runs are carried out; without a worker they stay queued. */
  worker?: boolean
  /** Where the API listens, for those who have to know it beforehand; a free port otherwise. */
  port?: number
  /** Where the present comes from, for tests that wait for no clock. */
  clock?: Clock
  /** Environment variables beyond those that every test needs. */
  env?: Record<string, string>
}

/** The environment of a platform of this test's own: its database, its task queue, the sites it may reach. */
export async function testEnvironment(t: ExecutionContext, { sites, env = {} }: PlatformOptions) {
  const databaseUrl = env['DATABASE_URL'] ?? (await createTestDatabase(t)).url
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '8',
    TEMPORAL_ADDRESS: sharedServers().temporal,
    TASK_QUEUE: taskQueueFor(t),
    DEMO_DIRECTIVES: 'true',
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
    RATE_LIMIT_BROWSER_PER_MINUTE: '1000000',
    OUTGOING_PER_MINUTE: '1000000',
    SHUTDOWN_SECONDS: '1',
    ...testKeys,
    ...(sites && { SITE_ALLOW: sites.allow.join(','), SITE_CA_FILE: sites.caFile }),
    ...env,
  }
}

/** The API, and a worker if wanted, in this process, gone with the test. `logs` holds every line that was logged. */
export async function startPlatform(t: ExecutionContext, options: PlatformOptions = {}) {
  const { server, serve } = createHttpServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const config = readConfig({ BASE_URL: url, ...(await testEnvironment(t, options)) })
  const logs: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void logs.push(line) })
  const services = createServices(config, logger, { clock: options.clock, passwordCost: cheapCost })
  const handle = createApp(services).callback()
  serve((request, response) => void handle(request, response))
  let stop = async () => {}
  /**
   * Starts a worker in this process, as the successor of one that was stopped or killed for example. It compares the record
   * with what Temporal has only if it is told to.
   */
  const startWorker = async (how: { reconciles?: boolean } = {}) =>
    void (stop = await startWorkerHere({ config, logger, services }, how))
  const stopWorker = () => stop()
  if (options.worker) await startWorker()
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await stopWorker()
    await services.close()
  })
  return { url, config, services, logger, logs, startWorker, stopWorker }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

let installed: Promise<void> | undefined

/** To be waited for before anything of Temporal's worker is used. Once in a process: there is no second time. */
export const installRuntime = (): Promise<void> => (installed ??= install())

async function install(): Promise<void> {
  const { DefaultLogger, makeTelemetryFilterString, Runtime } = await import('@temporalio/worker')
  // A Temporal that is gone is what some tests are about, and the warnings of it would be among their results.
  const telemetryOptions = { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } }
  runWorkflowsHere()
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR'), telemetryOptions })
}

/**
 * What workers of tests leave to the tests, which do it themselves and look at what comes of it; some of it would besides
 * cost each of them time.
 */
const leftOut: readonly LoopName[] = ['housekeeping', 'keep-alive', 'mails', 'manifests']

async function startWorkerHere(
  context: ProcessContext,
  { reconciles = false }: { reconciles?: boolean },
): Promise<() => Promise<void>> {
  // Loaded by those only who want a worker: Temporal's is a third of all the code that a test loads.
  await installRuntime()
  const { startWork } = await import('../../bin/work.ts')
  const without: readonly LoopName[] = reconciles ? leftOut : [...leftOut, 'forgotten agents', 'orphans']
  return startWork(context, { codePath: sharedServers().bundle }, without)
}
