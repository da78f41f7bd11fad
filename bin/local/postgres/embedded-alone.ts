import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { present } from '../../../src/config/environment.ts'
import { readLocalConfig } from '../../../src/config/local-config.ts'
import { releaseLock, takeLock } from '../lock.ts'
import { freePorts } from '../ports.ts'
import { makePrivateFolder } from '../private-folder.ts'
import { createProcessRecord, endRecorded } from '../process-record.ts'
import { localSecrets } from '../secrets.ts'
import { createSupervisor } from '../supervisor.ts'
import { startWarden } from '../warden.ts'
import { embeddedPostgres, ensureDatabase } from './postgres.ts'
import { postgresOwner } from './postgres-owner.ts'

const live = 'switchyard'
const fresh = 'switchyard_restoring'

type Work = (settings: Record<string, string>) => Promise<void>

/**
 * Does the work with the Postgres of a stopped `npm start`, which cannot start meanwhile. For `emptied`, the work gets
 * an empty database beside the existing one. Once it has succeeded, they change places: the former one stays under a
 * name with the time, and the data of Temporal is deleted, because runs restart from the record.
 */
export async function withEmbeddedPostgres(what: 'as it is' | 'emptied', work: Work): Promise<void> {
  const local = readLocalConfig()
  const folder = resolve(local.DATA_DIR)
  if (what === 'as it is' && !existsSync(folder))
    throw new Error('DATABASE_URL is not set, and `npm start` has no data here. Set DATABASE_URL or DATA_DIR.')
  makePrivateFolder(folder, postgresOwner())
  const lock = join(folder, 'start.lock')
  const holder = takeLock(lock)
  if (holder) throw new Error(`npm start is starting or stopping (process ${holder.pid}). Try again later.`)
  try {
    await withServer(local, folder, async (server) => {
      const settings = { ...present(), VAULT_KEYS: localSecrets(folder).vaultKeys }
      if (what === 'as it is') return work({ ...settings, DATABASE_URL: server.url(live) })
      await run(server.url('postgres'), [`drop database if exists ${fresh}`, `create database ${fresh}`])
      await work({ ...settings, DATABASE_URL: server.url(fresh) })
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `temporal.db${suffix}`), { force: true })
      await changePlaces(server.url('postgres'))
    })
  } finally {
    releaseLock(lock)
  }
}

type Server = Awaited<ReturnType<typeof embeddedPostgres>>

async function withServer(
  local: ReturnType<typeof readLocalConfig>,
  folder: string,
  work: (server: Server) => Promise<void>,
): Promise<void> {
  const record = createProcessRecord(join(folder, 'processes'))
  await endRecorded(record.folder)
  startWarden(record.folder, local.environment)
  const supervisor = createSupervisor(record, join(folder, 'logs'), console.log)
  const [port = 0] = await freePorts(1)
  const { postgresPassword: password } = localSecrets(folder)
  try {
    const server = await embeddedPostgres({ folder, port, password, environment: local.environment })
    await supervisor.start(server.program)
    await ensureDatabase(server.url('postgres'), live)
    await work(server)
  } finally {
    await supervisor.stop()
    await endRecorded(record.folder)
  }
}

/** In one transaction, so there is always one with the live name. */
async function changePlaces(serverUrl: string): Promise<void> {
  const former = `${live}_until_${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '')}`
  await run(serverUrl, [
    `begin; alter database ${live} rename to ${former}; alter database ${fresh} rename to ${live}; commit`,
  ])
  console.log(`The former database is kept as ${former}. To free its space, drop it.`)
}

async function run(connectionString: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
