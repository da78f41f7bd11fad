import { join } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import type { LocalConfig } from '../../src/config/local-config.ts'
import { consoleHome } from '../../src/console-pages.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrate, OtherSchemaError } from '../../src/database/migrate.ts'
import { shareCatalogue } from './catalogue.ts'
import { createCertificates, type Certificates } from './certificates.ts'
import { buildConsole } from './console.ts'
import { firstAdminLink } from '../first-admin-link.ts'
import { makeFirstAdmin } from './first-admin.ts'
import { nodeFlags } from '../node-flags.ts'
import { freePortAfter } from './ports.ts'
import { nodeProgram, sitesProgram } from './node-program.ts'
import { embeddedPostgres, ensureDatabase } from './postgres/postgres.ts'
import type { ProcessRecord } from './process-record.ts'
import { localSecrets, type LocalSecrets } from './secrets.ts'
import type { Supervisor } from './supervisor.ts'
import { findTemporal } from './temporal/binary.ts'
import { temporalServer } from './temporal/server.ts'
import { trustedAuthorities } from './trusted-authorities.ts'

interface StackOptions {
  local: LocalConfig
  folder: string
  record: ProcessRecord
  supervisor: Supervisor
  say: (text: string) => void
  /** The scripts to run; tests use others. */
  scripts: { api: string; worker: string; sites: string }
}

/** The addresses of all parts, also written to `addresses.json` in the data folder for the tour. */
export interface Addresses {
  console: string
  api: string
  docs: string
  temporal: string
  temporalUi: string | undefined
  sites: string[]
  /** An address where nothing listens, to try an unreachable site. */
  deadSite: string
  /** The local authority that signed the example sites' certificates. */
  siteCaFile: string
  /** The server certificate that this authority signed for this machine, for your own sites. */
  siteCertificate: { certFile: string; keyFile: string }
}

/**
 * Starts all programs in order of dependency. Resolves with the environment of the platform's own processes, and with
 * the link for the first admin if there is none, when all are ready.
 */
export async function startStack(
  options: StackOptions,
): Promise<{ addresses: Addresses; environment: Record<string, string>; adminLink: string | undefined }> {
  const { local, folder, say, supervisor, scripts } = options
  const certificates = join(folder, 'certificates')
  const { caFile, certFile, keyFile } = await createCertificates(certificates)
  const trusted = trustedAuthorities(certificates, caFile, local.environment['SITE_CA_FILE'])
  const secrets = localSecrets(folder)
  const servers = [startPostgres(options, secrets), startTemporal(options), buildConsole(say)] as const
  const [database, temporal] = await Promise.all(servers)
  say('Migrating the database schema ...')
  const adminLink = await prepareDatabase(database, options)
  const sites = sitesProgram({
    file: scripts.sites,
    certificates,
    data: join(folder, 'sites'),
    ports: local.SITE_PORTS,
    redirectUri: `${baseUrl(local)}/vault/oauth/callback`,
    env: local.environment,
  })
  say('Starting the example sites, the API and the worker ...')
  await supervisor.start(sites)
  const addresses = addressesOf(local, temporal, { caFile, certFile, keyFile })
  const ui = addresses.temporalUi === undefined ? {} : { TEMPORAL_UI_URL: addresses.temporalUi }
  const own = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal, ...ui }
  const needed = [local.DEAD_SITE_PORT, ...local.CONFORMANCE_PORTS]
  const healthPort = await freePortAfter(local.PORT, { needed })
  const given = local.environment['CATALOGUE_FOLDERS']
  const env = {
    WORKER_HEALTH_PORT: String(healthPort),
    ...childEnvironment(local, secrets, own, trusted),
    ...(await shareCatalogue(folder, { ...addresses, given }, say)),
  }
  const ours = { env, flags: nodeFlags, shutdownSeconds: local.SHUTDOWN_SECONDS }
  await Promise.all([
    supervisor.start(nodeProgram({ name: 'api', file: scripts.api, readyMessage: 'listening', ...ours })),
    supervisor.start(nodeProgram({ name: 'worker', file: scripts.worker, readyMessage: 'polling', ...ours })),
  ])
  return { addresses, environment: env, adminLink }
}

interface StartedDatabase {
  url: string
  /** The advice if another version made it; undefined for a program that is not ours. */
  remedy?: string
}

async function startPostgres(
  { local, folder, supervisor, say }: StackOptions,
  secrets: LocalSecrets,
): Promise<StartedDatabase> {
  if (local.DATABASE_URL !== undefined) return { url: local.DATABASE_URL }
  say('Starting Postgres ...')
  const { postgresPassword: password } = secrets
  const server = await embeddedPostgres({
    folder,
    port: local.POSTGRES_PORT,
    password,
    environment: local.environment,
  })
  const isElsewhere = !server.dataFolder.startsWith(folder)
  if (isElsewhere) say(`Postgres runs as another user. Its data is in ${server.dataFolder}.`)
  await supervisor.start(server.program)
  await ensureDatabase(server.url('postgres'), 'switchyard')
  const folders = isElsewhere ? `${folder} and ${server.dataFolder}` : folder
  return { url: server.url('switchyard'), remedy: `Move or delete ${folders}, and start again.` }
}

async function startTemporal({ local, folder, record, supervisor, say }: StackOptions): Promise<string> {
  if (local.TEMPORAL_ADDRESS !== undefined) return local.TEMPORAL_ADDRESS
  const binary = await findTemporal(local, record, say)
  say('Starting Temporal ...')
  const server = temporalServer({
    binary,
    port: local.TEMPORAL_PORT,
    uiPort: local.TEMPORAL_UI_PORT,
    databaseFile: join(folder, 'temporal.db'),
    environment: local.environment,
  })
  await supervisor.start(server)
  return `127.0.0.1:${local.TEMPORAL_PORT}`
}

async function prepareDatabase(
  { url, remedy }: StartedDatabase,
  { local, folder, say }: StackOptions,
): Promise<string | undefined> {
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('warn', 'migrate'), { deadlines: false })
  try {
    await migrate(database, migrations, say)
    await makeFirstAdmin(folder, database)
    return await firstAdminLink(database, baseUrl(local))
  } catch (error) {
    throw error instanceof OtherSchemaError ? new OtherSchemaError(remedy) : error
  } finally {
    await database.destroy()
  }
}

/** The environment overrides the development defaults, but not the addresses or the needs of the example sites. */
function childEnvironment(
  local: LocalConfig,
  secrets: LocalSecrets,
  addresses: Record<string, string>,
  trusted: string,
): Record<string, string> {
  const sites = [...local.SITE_PORTS, local.DEAD_SITE_PORT, ...local.CONFORMANCE_PORTS].map(
    (port) => `127.0.0.1:${port}`,
  )
  const allowed = [local.environment['SITE_ALLOW'], ...sites].filter(Boolean).join(',')
  return {
    VAULT_KEYS: secrets.vaultKeys,
    JWT_PRIVATE_KEY: secrets.jwtPrivateKey,
    METRICS_TOKEN: secrets.metricsToken,
    PORT: String(local.PORT),
    BASE_URL: baseUrl(local),
    DEMO_DIRECTIVES: 'true',
    RATE_LIMIT_STORE: 'memory',
    ...local.environment,
    ...addresses,
    SITE_ALLOW: allowed,
    SITE_LOOPBACK: 'true',
    SITE_CA_FILE: trusted,
    OUTGOING_COUNT_PORTS: 'true',
  }
}

function addressesOf(local: LocalConfig, temporal: string, { caFile, ...siteCertificate }: Certificates): Addresses {
  const own = local.TEMPORAL_ADDRESS === undefined
  return {
    console: `${baseUrl(local)}${consoleHome}`,
    api: apiAddress(local),
    docs: `${apiAddress(local)}/docs`,
    temporal,
    temporalUi: own ? `http://127.0.0.1:${local.TEMPORAL_UI_PORT}` : undefined,
    sites: local.SITE_PORTS.map((port) => `https://127.0.0.1:${port}`),
    deadSite: `https://127.0.0.1:${local.DEAD_SITE_PORT}`,
    siteCaFile: caFile,
    siteCertificate,
  }
}

const apiAddress = (local: LocalConfig): string => `http://127.0.0.1:${local.PORT}`

/** The API's public address, which may be a proxy's. */
const baseUrl = (local: LocalConfig): string => local.environment['BASE_URL']?.replace(/\/+$/, '') ?? apiAddress(local)
