import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { readBackup } from '../../../src/backups/backup-file.ts'
import { dump } from '../../../src/backups/dump.ts'
import { load } from '../../../src/backups/load.ts'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import type { Migration } from '../../../src/database/migrate.ts'
import { createLogger } from '../../../src/logger.ts'
import { checkLedger } from './check-ledger.ts'
import { createCopyDatabase } from './copy-database.ts'
import { readEverything } from './read-everything.ts'
import { openSealedServices, type SealedServices } from './sealed-services.ts'
import { inBytes, inSeconds, sizeOf, timeMigrations, tooLong } from './time-migrations.ts'

type Say = (text: string) => void

export interface Rehearsal {
  /** Without deadlines. It is only read. */
  live: Database
  /** Of the live database. */
  url: string
  /** A backup to use instead of a dump of the live database. */
  file?: string | undefined
  /** The setting BILLING. */
  billing?: string | undefined
  migrations: Migration[]
  say: Say
}

/**
 * Copies the live database beside itself, migrates the copy, reads it with this code, and drops it. Nothing is written
 * to the live database, and nothing is sent anywhere. Returns what speaks against the upgrade, a sentence each.
 */
export async function rehearse(rehearsal: Rehearsal): Promise<string[]> {
  const { url, say } = rehearsal
  const copy = await createCopyDatabase(url)
  try {
    await fill(copy.url, rehearsal)
    return [...(await migrateCopy(copy.url, rehearsal)), ...(await lookAt(copy.url, rehearsal))]
  } finally {
    await copy.drop()
    say(`Dropped the database ${copy.name}.`)
  }
}

/** Without deadlines: a large table takes minutes. */
const open = (url: string, pool: number): Database =>
  createDatabase({ database: { url, pool } }, createLogger('silent', 'rehearsal'), { deadlines: false })

async function using<T>(url: string, pool: number, work: (database: Database) => Promise<T>): Promise<T> {
  const database = open(url, pool)
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

async function fill(copyUrl: string, { live, file, migrations, say }: Rehearsal): Promise<void> {
  const began = performance.now()
  if (file === undefined) say(`Copying the live database, ${inBytes(await sizeOf(live))}.`)
  const { asOf, rows } = await using(copyUrl, 4, async (copy) => {
    const loaded = (source: Readable) => load({ database: copy, migrations }, source, { upToDate: false })
    return file === undefined ? pipe(live, loaded) : loaded(await opened(readBackup(file)))
  })
  const count = Object.values(rows).reduce((sum, more) => sum + more, 0)
  const took = inSeconds((performance.now() - began) / 1000)
  say(`Copied ${count.toLocaleString('en-US')} rows as of ${asOf.toISOString()} in ${took}.`)
}

/** If one of them fails, so does the other. */
async function pipe<T>(live: Database, loaded: (source: Readable) => Promise<T>): Promise<T> {
  const between = new PassThrough()
  const dumping = dump({ database: live }, between)
  const loading = loaded(between).catch((error: unknown) => {
    between.destroy()
    throw error
  })
  const [dumped, result] = await Promise.allSettled([dumping, loading])
  if (result.status === 'rejected') throw result.reason
  if (dumped.status === 'rejected') throw dumped.reason
  return result.value
}

/** A missing file fails here. */
async function opened(source: Readable): Promise<Readable> {
  await once(source, 'readable')
  return source
}

async function migrateCopy(url: string, { migrations, say }: Rehearsal): Promise<string[]> {
  const rehearsed = await using(url, 4, (copy) =>
    using(url, 2, (watcher) => timeMigrations({ copy, watcher, migrations }, say)),
  )
  if (rehearsed.length === 0) say('No migration is pending.')
  return rehearsed.flatMap(tooLong)
}

async function lookAt(url: string, { billing, say }: Rehearsal): Promise<string[]> {
  const services = openSealedServices(url, billing)
  try {
    return [
      ...(await attempt('Adding up the ledgers', () => using(url, 2, (copy) => addUp(copy, say)))),
      ...(await attempt('Reading as owners do', () => readAll(services, say))),
    ]
  } finally {
    await services.close()
  }
}

/** A migration may have removed anything. */
const attempt = (what: string, work: () => Promise<string[]>): Promise<string[]> =>
  work().catch((error: unknown) => [`${what} failed: ${(error as Error).message}`])

async function addUp(database: Database, say: Say): Promise<string[]> {
  const { accounts, accountsInAll, problems } = await checkLedger(database)
  say(`Added up the ledgers of ${partOf(accounts, accountsInAll)} accounts.`)
  return problems
}

async function readAll(services: SealedServices, say: Say): Promise<string[]> {
  const { owners, ownersInAll, counted, problems } = await readEverything(services)
  const kinds = Object.entries(counted).map(([kind, count]) => `${count.toLocaleString('en-US')} ${kind}`)
  say(`Read with this code, of ${partOf(owners, ownersInAll)} accounts and workspaces: ${kinds.join(', ')}.`)
  return problems
}

const partOf = (part: number, all: number): string =>
  part === all
    ? `all ${all.toLocaleString('en-US')}`
    : `${part.toLocaleString('en-US')} of ${all.toLocaleString('en-US')}`
