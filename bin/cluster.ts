import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readModels } from '../src/config/read-models.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { readLocalConfig } from '../src/config/local-config.ts'
import { createDatabase } from '../src/database/database.ts'
import { createLogger } from '../src/logger.ts'
import { startCluster, type Cluster } from './cluster/cluster.ts'
import { conformanceFile, writeConformanceFile } from './local/conformance-file.ts'
import { firstAdminFile, makeFirstAdmin } from './local/first-admin.ts'
import { onStopRequest } from './local/on-stop.ts'

const usage = `npm run cluster [-- --fresh] [--apis 2] [--workers 3] [--port 8443] [conformance …]

Starts what docker-compose.yml describes, without containers: Postgres, PgBouncer, the Temporal server, API processes,
workers, and Caddy as TLS proxy. State is in .data/cluster; --fresh deletes it first. Ctrl-C stops everything.
"conformance" runs npm run conformance with the words after it, and exits with its code.`

const say = (text: string): void => console.log(text)
/** The exit code after Ctrl-C, before the work was done. */
const interrupted = 130
const folder = resolve('.data/cluster')

function readArguments() {
  const count = { type: 'string' } as const
  const options = {
    help: { type: 'boolean' },
    fresh: { type: 'boolean', default: false },
    apis: count,
    workers: count,
    port: count,
  } as const
  const words = process.argv.slice(2)
  // What follows belongs to the other command.
  const at = words.indexOf('conformance')
  const { values } = parseArgs({ args: at === -1 ? words : words.slice(0, at), options })
  return { ...values, conformance: at === -1 ? undefined : words.slice(at + 1) }
}

async function main(): Promise<number> {
  const { help, fresh, apis = '2', workers = '3', port = '8443', conformance } = readArguments()
  if (help) return saying(usage, 0)
  loadEnvFile()
  const { environment } = readLocalConfig()
  const stopRequested = new Promise<number>((stop) => onStopRequest(environment, () => stop(interrupted)))
  const numbers = { apis: Number(apis), workers: Number(workers), port: Number(port) }
  const starting = startCluster({ folder, fresh, ...numbers, exampleSites: true, restarts: true, say })
  const cluster = await Promise.race([starting, stopRequested])
  // What has started by then ends with this process.
  if (typeof cluster === 'number') return cluster
  try {
    await writeFacts(cluster)
    if (conformance) return await Promise.race([runConformance(cluster, conformance), stopRequested])
    say(inWords(cluster))
    await stopRequested
    return saying('Stopping ...', 0)
  } finally {
    rmSync(conformanceFile(folder), { force: true })
    await cluster.stop()
  }
}

function saying(text: string, exitCode: number): number {
  say(text)
  return exitCode
}

/** What `npm run conformance` cannot learn over HTTP, and the admin that it names. */
async function writeFacts({ url, temporalAddress, databaseUrl, sites }: Cluster): Promise<void> {
  const database = createDatabase({ database: { url: databaseUrl, pool: 2 } }, createLogger('warn', 'cluster'))
  try {
    await makeFirstAdmin(folder, database)
  } finally {
    await database.destroy()
  }
  const own = {
    console: `${url}/console`,
    api: url,
    docs: `${url}/docs`,
    temporal: temporalAddress,
    temporalUi: undefined,
  }
  const read = readLocalConfig()
  const environment = { ...read.environment, DEMO_DIRECTIVES: 'true' }
  const local = { ...read, environment, CONFORMANCE_PORTS: sites!.ownPorts }
  writeConformanceFile(folder, { addresses: { ...own, ...sites!.sites }, local, models: readModels() })
}

async function runConformance({ certificates }: Cluster, words: string[]): Promise<number> {
  const program = join(import.meta.dirname, 'conformance.ts')
  const env = { ...readLocalConfig().environment, DATA_DIR: folder, NODE_EXTRA_CA_CERTS: certificates.caFile }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}

const inWords = ({ url, apiUrls, databaseUrl, temporalAddress, certificates, members, logFolder }: Cluster): string =>
  [
    '',
    'The cluster is ready.',
    '',
    `  Console     ${url}/console`,
    `  API         ${url}`,
    ...Object.entries(apiUrls).map(([name, address]) => `  ${name.padEnd(11)} ${address}`),
    `  Postgres    port ${new URL(databaseUrl).port}`,
    `  Temporal    ${temporalAddress}`,
    `  Members     ${members.map(({ name, pid }) => `${name} (${pid()})`).join(', ')}`,
    `  Authority   ${certificates.caFile}`,
    `  Admin       ${firstAdminFile(folder)}`,
    `  Logs        ${logFolder}`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n')

process.exitCode = await main().catch((error: unknown) => {
  console.error((error as Error).message)
  return 1
})
process.exit()
