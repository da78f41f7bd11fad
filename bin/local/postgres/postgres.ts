import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from '../../execa.ts'
import { Client } from 'pg'
import { postgresOwner, postgresPrograms, reachableFolder, type PostgresOwner } from './postgres-owner.ts'
import { commandOf, markOf } from '../process-identity.ts'
import { end } from '../process-record.ts'
import { whenAnswering, type Program } from '../program.ts'

interface PostgresOptions {
  /** The folder that contains the data folder. */
  folder: string
  port: number
  password: string
  environment: Record<string, string>
  /** For tests: data may be lost in a power failure. */
  fast?: boolean
  /** The superuser. */
  user?: string
  /** Settings of the server, as `name=value`. */
  settings?: string[]
}

export interface EmbeddedPostgres {
  program: Program
  /** The data folder. It is outside `folder` if the user that runs Postgres may not enter that. */
  dataFolder: string
  url: (database: string) => string
  /** The same database over a Unix socket if possible, which halves the work per query. */
  socketUrl: (database: string) => string
}

const usualUser = 'switchyard'
/** Postgres's fast shutdown: ends sessions and writes the data. */
const stopSignal = 'SIGINT'
const stopSeconds = 20
const safe = ['max_connections=200']
/** No safety against a power failure, no replicas and no statistics, because the data is short-lived. */
const unsafe = [
  'max_connections=400',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'autovacuum=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'track_counts=off',
  'jit=off',
]

/** Prepares a local Postgres server: initializes its data on first use and returns the program to run. */
export async function embeddedPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const owner = postgresOwner()
  const programs = await postgresPrograms(owner)
  const home = reachableFolder(options.folder, owner)
  const dataFolder = join(home, 'postgres')
  if (!existsSync(dataFolder)) await initialise(programs.initdb, home, options, owner)
  const { user = usualUser } = options
  const url = (database: string) =>
    `postgres://${user}:${options.password}@127.0.0.1:${options.port}/${encodeURIComponent(database)}`
  const socketUrl = (database: string) =>
    options.fast && process.platform !== 'win32'
      ? `${url(database)}?host=${encodeURIComponent(dataFolder)}`
      : url(database)
  return {
    dataFolder,
    url,
    socketUrl,
    program: serverProgram(programs.postgres, dataFolder, options, owner, url('postgres')),
  }
}

/** Creates the database if it does not exist. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}

function serverProgram(
  command: string,
  dataFolder: string,
  { port, fast, environment, settings: given = safe }: PostgresOptions,
  owner: PostgresOwner,
  url: string,
): Program {
  const sockets = `unix_socket_directories=${fast ? dataFolder : ''}`
  const settings = ['listen_addresses=127.0.0.1', sockets, ...(fast ? unsafe : given)]
  return {
    name: 'postgres',
    command,
    args: ['-D', dataFolder, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    env: environment,
    cwd: '/',
    owner,
    stopSignal,
    stopSeconds,
    // Long enough to replay the write-ahead log after a crash.
    readySeconds: 120,
    beforeStart: () => endFormerServer(dataFolder),
    ready: whenAnswering(() => connectOnce(url)),
    shown: (line) => (/\b(PANIC|terminated by signal)\b/.test(line) ? line : undefined),
  }
}

/** Initializes a temporary folder and then renames it, so that an interrupted start leaves no half-made data folder. */
async function initialise(initdb: string, home: string, options: PostgresOptions, owner: PostgresOwner): Promise<void> {
  const [fresh, passwordFile] = [join(home, 'postgres.new'), join(home, 'postgres.password')]
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (owner) for (const path of [fresh, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = [`--username=${options.user ?? usualUser}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  // Nearly every test opens connections, and each would compute 4,096 iterations of its password's hash.
  const speed = options.fast ? ['--no-sync', '--set=scram_iterations=1'] : []
  try {
    const settings = { ...owner, cwd: '/', env: options.environment, extendEnv: false }
    await execa(initdb, [`--pgdata=${fresh}`, ...locale, ...access, ...speed], settings)
  } finally {
    rmSync(passwordFile)
  }
  renameSync(fresh, join(home, 'postgres'))
}

/**
 * Handles a leftover postmaster.pid. If its process is a server that still uses this data, ends it. If another process
 * has the number by now, Postgres would mistake it for a server and refuse to start, so removes the file.
 */
async function endFormerServer(dataFolder: string): Promise<void> {
  const file = join(dataFolder, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const former = pid > 0 && commandOf(pid).includes(dataFolder) ? markOf(pid) : undefined
  if (former) await end({ ...former, stopSignal }, stopSeconds)
  rmSync(file, { force: true })
}

async function connectOnce(connectionString: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2000 })
  client.on('error', () => {
    // The server may end between connecting and closing; the caller retries.
  })
  await client.connect()
  await client.end()
}
