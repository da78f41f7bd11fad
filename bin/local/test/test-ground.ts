import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../../src/config/local-config.ts'
import { bundleWorkflows } from '../../polling.ts'
import { onAskedToStop } from '../asked.ts'
import { createCertificates } from '../certificates.ts'
import { createProcessRecord, endRecorded, signal, type ProcessRecord } from '../process-record.ts'
import { findTemporal } from '../temporal/binary.ts'
import { makeTestFolder } from './test-folder.ts'
import { testPostgres, testTemporal, type TestServerOptions } from './test-servers.ts'
import { startWarden } from '../warden.ts'

/** What tests stand on: servers that run, and what test/helpers/servers.ts reads of them. */
export interface TestGround {
  folder: string
  record: ProcessRecord
  env: Record<string, string>
}

const template = 'switchyard_template'
const compiled = fileURLToPath(new URL('../../../node_modules/.cache/switchyard', import.meta.url))
const ava = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')))

/**
 * Starts one Postgres with a migrated template database and one Temporal server, does the work, and throws everything
 * away, and whatever the work leaves at the given paths. Resolves with what the work resolves with, or with 130 when
 * somebody asks this process to stop.
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
  const stopped = new Promise<undefined>((resolve) => onAskedToStop(local.environment, () => resolve(undefined)))
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
      // All processes of tests load the same code, and so will those of the next run.
      NODE_COMPILE_CACHE: compiled,
      // Whatever else this machine trusts matters to no test, and reading it takes each process its time.
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

/** The workflow code as workers run it, made once for all files of tests; that of this project unless said otherwise. */
export async function writeBundle(file: string, root?: string): Promise<string> {
  writeFileSync(file, (await bundleWorkflows(root)).code)
  return file
}

/** A run of ava that is under way. */
interface AvaRun {
  /** Its report, as TAP. */
  output: Readable
  /** Resolves with its exit code when it has ended, and with it all processes of tests. */
  ended: Promise<number | null>
  kill: () => void
}

/** Starts ava in the project at `root`, or in this one. What tests write beside the report is shown unless `quiet`. */
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
    // Workers of ava that a crash left behind belong to its group.
    signal(pid, 'SIGKILL')
    record.remove(pid)
    return code
  })
  return { output: child.stdout, ended, kill: () => signal(pid, 'SIGKILL') }
}
