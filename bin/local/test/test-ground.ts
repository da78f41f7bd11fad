import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../../src/config/local-config.ts'
import { bundleWorkflows } from '../../workflow-code.ts'
import { onStopRequest } from '../on-stop.ts'
import { createCertificates } from '../certificates.ts'
import { createProcessRecord, endRecorded, signal, type ProcessRecord } from '../process-record.ts'
import { findTemporal } from '../temporal/binary.ts'
import { makeTestFolder } from './test-folder.ts'
import { testPostgres, testTemporal, type TestServerOptions } from './test-servers.ts'
import { startWarden } from '../warden.ts'

/** The running servers for tests, and the environment that the tests read. */
export interface TestGround {
  folder: string
  record: ProcessRecord
  env: Record<string, string>
}

const template = 'switchyard_template'
const compiled = fileURLToPath(new URL('../../../node_modules/.cache/switchyard', import.meta.url))
const ava = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')))

/**
 * Starts one Postgres with a migrated template database and one Temporal server, does the work, and removes
 * everything, including files that the work left at the given paths. Resolves with the result of the work, or with 130
 * if this process is asked to stop.
 */
export async function onTestGround(
  work: (ground: TestGround) => Promise<number>,
  paths: readonly string[] = [],
): Promise<number> {
  const folder = makeTestFolder()
  const record = createProcessRecord(join(folder, 'processes'))
  const local = readLocalConfig()
  const leftovers = [folder, ...paths]
  startWarden(record.folder, local.environment, leftovers)
  const stopped = new Promise<undefined>((resolve) => onStopRequest(local.environment, () => resolve(undefined)))
  try {
    const servers = startServers({ folder, record, environment: local.environment }, leftovers)
    const env = await Promise.race([servers, stopped])
    if (!env) return 130
    return (await Promise.race([work({ folder, record, env: { ...local.environment, ...env } }), stopped])) ?? 130
  } finally {
    await endRecorded(record.folder)
    for (const path of leftovers) rmSync(path, { recursive: true, force: true })
  }

  async function startServers(options: TestServerOptions, made: string[]): Promise<Record<string, string>> {
    console.log('Starting Postgres and Temporal for the tests ...')
    const binary = await findTemporal(local, record, console.log)
    const [postgres, temporal, bundle, certificates] = await Promise.all([
      testPostgres(options, template),
      testTemporal(options, binary, false),
      writeBundle(join(folder, 'workflows.js')),
      makeCertificates(folder),
    ])
    made.push(postgres.server.dataFolder)
    return {
      SWITCHYARD_TEST_FOLDER: folder,
      SWITCHYARD_TEST_POSTGRES: postgres.server.socketUrl('postgres'),
      SWITCHYARD_TEST_TEMPLATE: template,
      SWITCHYARD_TEST_TEMPORAL: temporal.address,
      SWITCHYARD_TEST_TEMPORAL_BINARY: binary,
      SWITCHYARD_TEST_BUNDLE: bundle,
      SWITCHYARD_TEST_CERTIFICATES: certificates,
      // All test processes load the same code, also in the next run.
      NODE_COMPILE_CACHE: compiled,
      // No test needs this machine's other authorities, and reading them slows every process down.
      NODE_EXTRA_CA_CERTS: '',
    }
  }
}

/** One authority and one server certificate for all sites of all tests. */
async function makeCertificates(folder: string): Promise<string> {
  const certificates = join(folder, 'certificates')
  await createCertificates(certificates)
  return certificates
}

/** Bundles the workflow code of a project, by default this one, once for all test files. */
export async function writeBundle(file: string, root?: string): Promise<string> {
  writeFileSync(file, (await bundleWorkflows(root)).code)
  return file
}

interface AvaRun {
  /** Its report, as TAP. */
  output: Readable
  /** Resolves with its exit code when ava and all test processes have ended. */
  ended: Promise<number | null>
  kill: () => void
}

/** Starts ava in the project at `root`, by default this one. Shows the stderr of the tests unless `quiet`. */
export function startAva(
  { record, env }: Pick<TestGround, 'record' | 'env'>,
  args: string[],
  { root, quiet = false }: { root?: string; quiet?: boolean } = {},
): AvaRun {
  const child = spawn(process.execPath, [ava, '--tap', ...args], {
    ...(root !== undefined && { cwd: root }),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
  })
  const pid = child.pid!
  record.add('ava', pid, 'SIGINT')
  const closed = once(child, 'close') as Promise<[number | null]>
  const ended = closed.then(([code]) => {
    // ava's workers belong to its group; a crash may leave some behind.
    signal(pid, 'SIGKILL')
    record.remove(pid)
    return code
  })
  return { output: child.stdout, ended, kill: () => signal(pid, 'SIGKILL') }
}
