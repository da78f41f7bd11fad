import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../src/local-config.ts'
import { readHouse } from '../test/house/source.ts'
import { arrange } from '../test/run/arrange.ts'
import { slowest } from '../test/run/durations.ts'
import { onAskedToStop } from './local/asked.ts'
import { createCertificates } from './local/certificates.ts'
import { createProcessRecord, endRecorded, signal } from './local/process-record.ts'
import { showTap } from './local/tap.ts'
import { findTemporal } from './local/temporal-binary.ts'
import { makeTestFolder } from './local/test-folder.ts'
import { testPostgres, testTemporal, type TestServerOptions } from './local/test-servers.ts'
import { startWarden } from './local/warden.ts'
import { bundleWorkflows } from './polling.ts'

/**
 * `npm test [-- <ava arguments>]`: one Postgres with a migrated template database and one Temporal server for all
 * tests, thrown away afterwards. `--verbose` shows what tests have measured. Ends with the slowest files, the line
 * `N passed, M failed` and ava's exit code.
 */
const template = 'switchyard_template'
const durations = 'durations'
const loadsTogether = 'test/run/together.ts'
const arrangement = arrange(readHouse(fileURLToPath(new URL('..', import.meta.url))))
const ava = fileURLToPath(new URL('cli.js', import.meta.resolve('ava')))

async function main(): Promise<number> {
  const began = Date.now()
  const folder = makeTestFolder()
  const record = createProcessRecord(join(folder, 'processes'))
  const local = readLocalConfig()
  const leftovers = [folder]
  startWarden(record.folder, local.environment, leftovers)
  const stopped = new Promise<undefined>((resolve) => onAskedToStop(local.environment, () => resolve(undefined)))
  try {
    const servers = startServers({ folder, record, environment: local.environment }, leftovers)
    const env = await Promise.race([servers, stopped])
    if (!env) return 130
    return (await Promise.race([runAva({ ...local.environment, ...env }, began), stopped])) ?? 130
  } finally {
    await endRecorded(record.folder)
    for (const path of leftovers) rmSync(path, { recursive: true, force: true })
  }

  /** What test/helpers/servers.ts reads. */
  async function startServers(options: TestServerOptions, made: string[]): Promise<Record<string, string>> {
    console.log('Starting Postgres and Temporal for the tests ...')
    const binary = await findTemporal(local, record, console.log)
    const [postgres, temporal] = await Promise.all([
      testPostgres(options, template),
      testTemporal(options, binary, false),
    ])
    made.push(postgres.server.dataFolder)
    return {
      SWITCHYARD_TEST_FOLDER: folder,
      SWITCHYARD_TEST_POSTGRES: postgres.server.url('postgres'),
      SWITCHYARD_TEST_TEMPLATE: template,
      SWITCHYARD_TEST_TEMPORAL: temporal.address,
      SWITCHYARD_TEST_TEMPORAL_BINARY: binary,
      SWITCHYARD_TEST_BUNDLE: await writeBundle(folder),
      SWITCHYARD_TEST_CERTIFICATES: await makeCertificates(folder),
      SWITCHYARD_TEST_DURATIONS: join(folder, durations),
      SWITCHYARD_TEST_TOGETHER: JSON.stringify(arrangement.together),
      // Each file of tests is a process of its own, and all of them load the same code.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      // Whatever else this machine trusts matters to no test, and reading it takes each process its time.
      NODE_EXTRA_CA_CERTS: '',
    }
  }

  async function runAva(env: Record<string, string>, start: number): Promise<number> {
    const given = process.argv.slice(2)
    // One file more than there are cores: some wait for things to happen, and what is timed must not be slowed down more.
    const files = String(Math.min(4, availableParallelism() + 1))
    const concurrency = given.some((one) => /^(-c|--concurrency)/.test(one)) ? [] : ['--concurrency', files]
    const chosen = given.some(namesFiles) ? [] : [...arrangement.alone, loadsTogether]
    const child = spawn(process.execPath, [ava, '--tap', ...concurrency, ...given, ...chosen], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    record.add('ava', child.pid!, 'SIGINT')
    const ended = once(child, 'close') as Promise<[number | null]>
    const { passed, failed } = await showTap(child.stdout, console.log, given.includes('--verbose'))
    const [code] = await ended
    // Workers of ava that a crash left behind belong to its group.
    signal(child.pid!, 'SIGKILL')
    record.remove(child.pid!)
    showSlowest(join(folder, durations))
    console.log(`\n${Math.round((Date.now() - start) / 1000)} s`)
    // A run that failed without a failing test, for example because no file matched, must not read as a success.
    console.log(`${passed} passed, ${code === 0 ? failed : Math.max(failed, 1)} failed`)
    return code ?? 1
  }
}

/** Whether an argument of the command line says which tests are wanted. */
const namesFiles = (argument: string): boolean => /\.ts(:[\d,-]+)?$/.test(argument) || existsSync(argument)

function showSlowest(log: string): void {
  const files = slowest(log, 10)
  if (files.length < 2) return
  console.log('\nThe slowest files, in seconds:')
  for (const { seconds, file } of files) console.log(`${seconds.toFixed(1).padStart(7)} ${file}`)
}

/** One authority and one server certificate for all sites of all tests. */
async function makeCertificates(folder: string): Promise<string> {
  const certificates = join(folder, 'certificates')
  await createCertificates(certificates)
  return certificates
}

/** The workflow code as workers run it, made once for all files of tests. */
async function writeBundle(folder: string): Promise<string> {
  const file = join(folder, 'workflows.js')
  writeFileSync(file, (await bundleWorkflows()).code)
  return file
}

process.exit(
  await main().catch((error: unknown) => {
    console.error((error as Error).message)
    return 1
  }),
)
