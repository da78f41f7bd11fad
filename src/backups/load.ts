import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { from as copyFrom } from 'pg-copy-streams'
import { resettleArrivals } from '../database/arrivals.ts'
import type { Database, Transaction } from '../database/database.ts'
import { buildSchema, migrate, type Migration } from '../database/migrate.ts'
import { connectionOf } from './dump.ts'
import { BackupFileError, damaged, readFrames, type Frame } from './frames.ts'
import { columnList, readHeader, readTableEnd, readTableHead, type Header, type TableHead } from './header.ts'
import { withoutConstraints } from './without-constraints.ts'

/** What was loaded: the time of the data, and the number of rows in each table. */
export interface Loaded {
  asOf: Date
  rows: Record<string, number>
}

interface Target {
  database: Database
  migrations: Migration[]
  say?: (text: string) => void
  /** Work in the transaction that makes the rows visible. Nobody has seen them before. */
  before?: (trx: Transaction, loaded: Loaded) => Promise<void>
}

/**
 * Loads a dump into an empty database, at exactly its migrations, in one transaction: until it commits, other processes
 * find an empty database, and if it fails or is killed, the database stays empty. Then applies the remaining
 * migrations, unless `upToDate` is false. The database must have no deadlines. Throws a BackupFileError for a cut or
 * damaged dump.
 */
export async function load(target: Target, source: Readable, { upToDate = true } = {}): Promise<Loaded> {
  const { database, migrations, say = () => undefined } = target
  const loaded = await database.transaction((trx) => loadWithin(trx, { ...target, say }, source))
  if (upToDate) await migrate(database, migrations, say)
  // Estimates of empty tables would mislead the planner until autovacuum comes.
  await database.raw('analyze')
  return loaded
}

async function loadWithin(trx: Transaction, target: Target & { say: (text: string) => void }, source: Readable) {
  const frames = framesOf(source)
  const first = await frames.next()
  if (first.done || first.value.kind !== 'H') throw new BackupFileError(damaged)
  const header = readHeader(first.value.body)
  await buildSchema(trx, target.migrations, header.migrations)
  await createPartitions(trx, header)
  const loaded: Loaded = { asOf: header.asOf, rows: {} }
  await withoutConstraints(trx, async () => {
    await fill(trx, frames, loaded, target.say)
    await setSequences(trx, header)
  })
  await resettleArrivals(trx)
  await target.before?.(trx, loaded)
  return loaded
}

/** Errors of the decompression mean a damaged file. */
async function* framesOf(source: Readable): AsyncGenerator<Frame, void> {
  const unzipped = createGunzip()
  // A source that fails would otherwise be waited for without end.
  source.once('error', (error) => unzipped.destroy(error))
  try {
    yield* readFrames(source.pipe(unzipped) as AsyncIterable<Buffer>)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'Z_BUF_ERROR')
      throw new BackupFileError('The backup is incomplete: the file ends too early. Use another copy of it.', {
        cause: error,
      })
    if (typeof code === 'string' && code.startsWith('Z_')) throw new BackupFileError(damaged, { cause: error })
    throw error
  }
}

async function createPartitions(trx: Transaction, { partitions }: Header): Promise<void> {
  for (const { parent, name, bound } of partitions) {
    const { rows } = await trx.raw<{ rows: unknown[] }>('select 1 where to_regclass(?) is not null', [name])
    if (rows.length === 0) await trx.raw(`create table ${name} partition of ${parent} ${bound}`)
  }
}

/** Replaces the content of each table of the dump. What migrations have inserted is in the dump, too. */
async function fill(
  trx: Transaction,
  frames: AsyncGenerator<Frame, void>,
  loaded: Loaded,
  say: (text: string) => void,
): Promise<void> {
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.kind !== 'T') throw new BackupFileError(damaged)
    const head = readTableHead(next.value.body)
    const rows = await fillTable(trx, head, frames)
    loaded.rows[head.table] = rows
    if (rows > 0) say(`${head.table}: ${rows.toLocaleString('en-US')} rows`)
  }
}

async function fillTable(trx: Transaction, { table, columns }: TableHead, frames: AsyncGenerator<Frame, void>) {
  await trx.raw(`truncate ${table}`)
  const connection = await connectionOf(trx)
  const copy = connection.query(copyFrom(`copy ${table} (${columnList(columns)}) from stdin`))
  const end = { rows: -1 }
  await pipeline(Readable.from(dataOf(frames, end)), copy)
  if (copy.rowCount !== end.rows) throw new BackupFileError(damaged)
  return end.rows
}

async function* dataOf(frames: AsyncGenerator<Frame, void>, end: { rows: number }): AsyncGenerator<Buffer, void> {
  for (;;) {
    const { value, done } = await frames.next()
    if (done) throw new BackupFileError(damaged)
    if (value.kind === 'E') return void (end.rows = readTableEnd(value.body).rows)
    if (value.kind !== 'D') throw new BackupFileError(damaged)
    yield value.body
  }
}

async function setSequences(trx: Transaction, { sequences }: Header): Promise<void> {
  for (const { name, value, isCalled } of sequences) await trx.raw('select setval(?, ?, ?)', [name, value, isCalled])
}
