import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readModels } from '../src/config/read-models.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { readLocalConfig } from '../src/config/local-config.ts'
import { createDatabase } from '../src/database/database.ts'
import { createLogger } from '../src/logger.ts'
import { readArguments, usage } from './cluster/arguments.ts'
import { startCluster, type Cluster } from './cluster/cluster.ts'
import { conformanceFile, writeConformanceFile } from './local/conformance-file.ts'
import { firstAdminFile, makeFirstAdmin } from './local/first-admin.ts'
import { createProcessRecord } from './local/process-record.ts'
import { onStopRequest } from './local/on-stop.ts'

const say = (text: string): void => console.log(text)
/** The exit code after Ctrl-C, before the work was done. */
const interrupted = 130
const folder = resolve('.data/cluster')

function argumentsOrUsage(): ReturnType<typeof readArguments> | undefined {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return undefined
  }
}

async function main(): Promise<number> {
  const given = argumentsOrUsage()
  if (!given) return 2
  const { help, fresh, numbers, conformance } = given
  if (help) return saying(usage, 0)
  loadEnvFile()
  const { environment } = readLocalConfig()
  const stopRequested = new Promise<number>((stop) => onStopRequest(environment, () => stop(interrupted)))
  const starting = startCluster({ folder, fresh, ...numbers, exampleSites: true, restarts: true, say })
  const cluster = await Promise.race([starting, stopRequested])
  // What has started by then ends with this process.
  if (typeof cluster === 'number') return cluster
  try {
    await writeFacts(cluster)
    if (conformance) return await runConformance(cluster, conformance, stopRequested)
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

/** After a request to stop, it first deletes what it created, which needs the cluster. A second one ends it at once. */
async function runConformance(
  { certificates }: Cluster,
  words: string[],
  stopRequested: Promise<number>,
): Promise<number> {
  const program = join(import.meta.dirname, 'conformance.ts')
  const { environment } = readLocalConfig()
  const env = { ...environment, DATA_DIR: folder, NODE_EXTRA_CA_CERTS: certificates.caFile }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: 'inherit' })
  void passOn(stopRequested, () => child.kill('SIGTERM'))
  // If this process is killed, the warden ends the check.
  const record = createProcessRecord(join(folder, 'processes'))
  record.add('conformance', child.pid!, 'SIGTERM')
  const [code] = (await once(child, 'close')) as [number | null]
  record.remove(child.pid!)
  return code ?? 1
}

async function passOn(stopRequested: Promise<number>, stop: () => unknown): Promise<void> {
  await stopRequested
  stop()
  onStopRequest(readLocalConfig().environment, stop)
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
