import { execa } from '../execa.ts'
import type { Certificates } from '../local/certificates.ts'
import { buildConsole } from '../local/console.ts'
import { startExampleSites } from './example-sites.ts'
import { writeDatabaseUrl } from './folder.ts'
import { openGround, type Ground } from './ground.ts'
import type { Member } from './member.ts'
import type { ClusterOptions } from './options.ts'
import { addProcesses, root } from './processes.ts'
import { caddyCommand, tlsProxy } from './proxy.ts'
import { startPostgres, startTemporal } from './servers.ts'

export interface Cluster {
  /** Postgres, PgBouncer, Temporal, the API processes and workers, and Caddy. */
  members: Member[]
  /** The member with this name, such as `api-1` or `temporal`. Throws if there is none. */
  member(name: string): Member
  /** The platform through Caddy. */
  url: string
  /** The API processes themselves, by name. */
  apiUrls: Record<string, string>
  /** Postgres without PgBouncer, through it, and for its superuser. */
  databaseUrl: string
  pooledUrl: string
  superuserUrl: string
  temporalAddress: string
  /** The authority's certificate is what clients must trust. */
  certificates: Certificates
  logFolder: string
  sites: Awaited<ReturnType<typeof startExampleSites>> | undefined
  /** Migrates the platform's database, with the code in another folder if one is given. Returns the output. */
  migrate(code?: string): Promise<string>
  /** Ends all members, the last started first. */
  stop(): Promise<void>
}

/** Starts what docker-compose.yml describes, without containers, behind PgBouncer and Caddy. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { code = root } = options
  const ground = await openGround({ ...options, code })
  try {
    return await startAll(ground, { ...options, code })
  } catch (error) {
    await ground.stop()
    throw error
  }
}

async function startAll(ground: Ground, options: ClusterOptions & { code: string }): Promise<Cluster> {
  const { members, certificates, logFolder, say } = ground
  const { port = ground.takePort() } = options
  const url = `https://127.0.0.1:${port}`
  const preparing = [caddyCommand(ground.environment), buildConsole(say)] as const
  const [servers, command] = await whenAll([startServers(ground, options.code), ...preparing])
  const { database, temporalPort, migrate } = servers
  const sites = options.exampleSites ? await startExampleSites(ground, url) : undefined
  const settings = { BASE_URL: url, TRUSTED_PROXIES: '1', ...sites?.settings, ...options.env }
  const apis = await startProcesses(ground, options, { ...servers, settings })
  await startProxy(ground, { command, port, apiPorts: apis.map(({ proxiedPort }) => proxiedPort) })
  return {
    members,
    member: (name) => memberOf(members, name),
    url,
    apiUrls: Object.fromEntries(apis.map((api) => [api.name, api.url])),
    databaseUrl: database.urlAt(database.port),
    pooledUrl: database.urlAt(database.pooledPort),
    superuserUrl: database.superuserUrl,
    temporalAddress: `127.0.0.1:${temporalPort}`,
    certificates,
    logFolder,
    sites,
    migrate,
    stop: ground.stop,
  }
}

type Servers = Awaited<ReturnType<typeof startServers>>

/** Postgres with PgBouncer, then Temporal and the schema. */
async function startServers(ground: Ground, code: string) {
  const database = await startPostgres(ground)
  const migrate = (from = code): Promise<string> => migrateWith(from, ground, database.urlAt(database.port))
  const [temporalPort] = await whenAll([startTemporal(ground, database.port), migrate()])
  return { database, temporalPort, migrate }
}

async function startProcesses(
  ground: Ground,
  { apis: count = 2, workers = 3, pooled = true, doors = false }: ClusterOptions,
  { database, temporalPort, settings }: Servers & { settings: Record<string, string> },
) {
  const { say } = ground
  const databasePort = pooled ? database.pooledPort : database.port
  const behind = { urlAt: database.urlAt, databasePort, temporalPort, settings, hasDoors: doors }
  const { apis, added } = await addProcesses(ground, { apis: count, workers }, behind)
  say(`Starting ${count} API processes and ${workers} workers ...`)
  await whenAll(added.map((member) => member.start().then(() => say(`  ${member.name} is ready`))))
  return apis
}

async function startProxy(ground: Ground, given: { command: string; port: number; apiPorts: number[] }): Promise<void> {
  const { folder, certificates, environment } = ground
  ground.say('Starting Caddy ...')
  const proxy = tlsProxy({ ...given, folder, httpPort: ground.takePort(), certificates, environment })
  await ground.add(() => proxy).start()
}

/** Rejects only when none is under way any more, so that whoever then stops everything finds all that was started. */
async function whenAll<T extends readonly unknown[]>(
  works: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** With a direct connection, because a migration has no deadlines. */
async function migrateWith(code: string, { services, environment, folder }: Ground, url: string): Promise<string> {
  const [, ...args] = services['migrate']!.command!
  const env = { ...environment, DATABASE_URL_FILE: writeDatabaseUrl(folder, 'migrate', url) }
  const made = await execa(process.execPath, args, { cwd: code, env, extendEnv: false, all: true, reject: false })
  if (made.failed) throw new Error(`The database could not be migrated.\n${made.all}`)
  return made.stdout
}

function memberOf(members: Member[], name: string): Member {
  const found = members.find((each) => each.name === name)
  if (!found) throw new Error(`The cluster has no ${name}.`)
  return found
}
