import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readCatalogue } from '../src/catalogue/read-catalogue.ts'
import { readConfig, type Config } from '../src/config/config.ts'
import { loadEnvFile, present } from '../src/config/environment.ts'
import { readLocalConfig, type LocalConfig } from '../src/config/local-config.ts'
import { readAll } from '../src/config/read-all.ts'
import { sharedSettingsFile, shareSettings } from './shared-settings.ts'
import { catalogueFolder } from './local/catalogue.ts'
import { onStopRequest } from './local/on-stop.ts'
import { conformanceFile, writeConformanceFile } from './local/conformance-file.ts'
import { releaseLock, takeLock } from './local/lock.ts'
import { makePrivateFolder } from './local/private-folder.ts'
import { postgresOwner } from './local/postgres/postgres-owner.ts'
import { portProblems, type NeededPort } from './local/ports.ts'
import { createProcessRecord, endRecorded } from './local/process-record.ts'
import { newSecrets } from './local/secrets.ts'
import { startStack } from './local/stack.ts'
import { readyInWords } from './local/ready.ts'
import { createSupervisor, type Supervisor } from './local/supervisor.ts'
import { startWarden } from './local/warden.ts'

/**
 * `npm start`: everything on one machine. Postgres and Temporal (unless DATABASE_URL and TEMPORAL_ADDRESS are set),
 * the schema, development keys, the example sites, the API and a worker. Ctrl-C stops all of it.
 */
const say = (text: string): void => console.log(text)

/** A second Ctrl-C kills. A signal within this time is the same key press, forwarded by npm. */
const samePressMs = 1000

async function main(): Promise<void> {
  const { help, ...scripts } = readArguments()
  if (help)
    return say(
      'npm start takes no options. Its settings are environment variables. See .env.example and docs/operate/configure.md.',
    )
  loadEnvFile()
  const { local, config } = readAll({
    local: () => readLocalConfig(),
    // Checks all settings before anything starts. Otherwise the API and the worker would each report the problems.
    config: () => readConfig(withStandIns(present())),
  })
  readCatalogue(config.catalogueFolders)
  const folder = resolve(local.DATA_DIR)
  makePrivateFolder(folder, local.DATABASE_URL === undefined ? postgresOwner() : undefined)
  const lock = join(folder, 'start.lock')
  const holder = takeLock(lock)
  if (holder) throw new Error(`Switchyard is already running (process ${holder.pid}). Stop it with: kill ${holder.pid}`)
  try {
    await run(local, config, { folder, scripts })
  } finally {
    releaseLock(lock)
  }
}

/** The environment with stand-ins for generated values, to check the other settings. */
function withStandIns(env: Record<string, string>): Record<string, string> {
  const { vaultKeys, jwtPrivateKey } = newSecrets()
  const own = { SITE_LOOPBACK: 'true' }
  const made = { DATABASE_URL: 'postgres://127.0.0.1', VAULT_KEYS: vaultKeys, JWT_PRIVATE_KEY: jwtPrivateKey }
  return {
    ...Object.fromEntries(Object.entries(made).filter(([name]) => env[`${name}_FILE`] === undefined)),
    ...env,
    ...own,
  }
}

async function run(
  local: LocalConfig,
  { models, billing }: Config,
  { folder, scripts }: { folder: string; scripts: Scripts },
): Promise<void> {
  const began = Date.now()
  const record = createProcessRecord(join(folder, 'processes'))
  const left = await endRecorded(record.folder)
  if (left.length > 0) say(`Stopped processes left over from an earlier start: ${left.join(', ')}.`)
  const problems = await portProblems(neededPorts(local))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  startWarden(record.folder, local.environment)
  const supervisor = createSupervisor(record, join(folder, 'logs'), say)
  const stopRequested = untilStopRequested(local, supervisor)
  const addressFile = join(folder, 'addresses.json')
  try {
    const started = startStack({ local, folder, record, supervisor, say, scripts })
    const all = await Promise.race([started, stopRequested])
    if (!all) return
    const { addresses, environment, adminLink } = all
    shareSettings(folder, environment)
    writeFileSync(addressFile, JSON.stringify(addresses, null, 2))
    writeConformanceFile(folder, { addresses, local, models })
    say(
      readyInWords(addresses, {
        adminLink,
        models,
        billing: billing.mode,
        folder,
        environment: local.environment,
        milliseconds: Date.now() - began,
      }),
    )
    await stopRequested
  } finally {
    const files = [addressFile, conformanceFile(folder), sharedSettingsFile(folder), catalogueFolder(folder)]
    for (const file of files) rmSync(file, { recursive: true, force: true })
    await supervisor.stop()
    await endRecorded(record.folder)
  }
}

/** Resolves on the first request to stop. The second one kills immediately. */
function untilStopRequested(local: LocalConfig, supervisor: Supervisor): Promise<undefined> {
  let first = 0
  return new Promise((resolve) => {
    onStopRequest(local.environment, () => {
      if (first === 0) say('\nStopping ... (Press Ctrl-C again to kill everything.)')
      else if (Date.now() - first > samePressMs) void supervisor.kill()
      first ||= Date.now()
      resolve(undefined)
    })
  })
}

function neededPorts(local: LocalConfig): NeededPort[] {
  const sites = local.SITE_PORTS.map((port) => ({ port, use: 'an example site', variable: 'SITE_PORTS' }))
  const api = { port: local.PORT, use: 'the API', variable: 'PORT' }
  const postgres = { port: local.POSTGRES_PORT, use: 'Postgres', variable: 'POSTGRES_PORT' }
  const temporal = { port: local.TEMPORAL_PORT, use: 'Temporal', variable: 'TEMPORAL_PORT' }
  const ui = { port: local.TEMPORAL_UI_PORT, use: 'the Temporal UI', variable: 'TEMPORAL_UI_PORT' }
  return [
    api,
    ...(local.DATABASE_URL === undefined ? [postgres] : []),
    ...(local.TEMPORAL_ADDRESS === undefined ? [temporal, ui] : []),
    ...sites,
  ]
}

/** Tests run other scripts instead of the real ones. */
type Scripts = Record<'api' | 'worker' | 'sites', string>

function readArguments(): Scripts & { help: boolean } {
  const script = (name: string) => ({ type: 'string' as const, default: join(import.meta.dirname, `${name}.ts`) })
  const help = { type: 'boolean', default: false } as const
  return parseArgs({ options: { help, api: script('api'), worker: script('worker'), sites: script('sites') } }).values
}

// The terminal may close first, which must not end this process before it has stopped the others.
process.stdout.on('error', () => undefined)

await main().catch((error: unknown) => {
  console.error((error as Error).message)
  process.exitCode = 1
})
process.exit()
