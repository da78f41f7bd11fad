import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Database, Transaction } from '../database/database.ts'
import { appliedTo } from '../database/migrate.ts'
import { version } from '../version.ts'
import { createFrameWriter } from './frames.ts'
import { columnList, quotedIdentifier, type Header, type TableHead } from './header.ts'

/** What was dumped. `asOf` is the time of the snapshot, by the database's clock. */
export interface Dumped {
  asOf: Date
  rows: number
}

/**
 * Writes all rows of the database to a stream, compressed: one snapshot (repeatable read), whatever others write
 * meanwhile. Memory is bounded, and nothing is locked against readers and writers. Secrets stay sealed. Tables that
 * Postgres does not keep after a crash are left out. The database must have no deadlines. Ends the stream.
 */
export async function dump(
  { database, say = () => undefined }: { database: Database; say?: (text: string) => void },
  out: Writable,
): Promise<Dumped> {
  return database.transaction(
    async (trx) => {
      await trx.raw(`set local datestyle = 'ISO'`)
      const header = await readHead(trx)
      const tables = await readTables(trx)
      const counted = { rows: 0 }
      await pipeline(Readable.from(bytesOf(trx, { header, tables, counted, say })), createGzip(), out)
      return { asOf: header.asOf, rows: counted.rows }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  )
}

interface Given {
  header: Header
  tables: TableHead[]
  counted: { rows: number }
  say: (text: string) => void
}

async function* bytesOf(trx: Transaction, { header, tables, counted, say }: Given): AsyncGenerator<Buffer, void> {
  const connection = await connectionOf(trx)
  const { begin, json, frame, end } = createFrameWriter()
  yield begin()
  yield json('H', header)
  for (const head of tables) {
    yield json('T', head)
    const copy = connection.query(copyTo(`copy (select ${columnList(head.columns)} from ${head.table}) to stdout`))
    for await (const chunk of copy) yield frame('D', chunk as Buffer)
    counted.rows += copy.rowCount
    yield json('E', { rows: copy.rowCount })
    if (copy.rowCount > 0) say(`${head.table}: ${copy.rowCount.toLocaleString('en-US')} rows`)
  }
  yield end()
}

/** Knex keeps the connection of a transaction, and gives it to whom its client asks. */
export const connectionOf = (trx: Transaction): Promise<Client> =>
  (trx.client as { acquireConnection: () => Promise<Client> }).acquireConnection()

async function readHead(trx: Transaction): Promise<Header> {
  const { rows: times } = await trx.raw<{ rows: [{ asOf: Date }] }>('select now() as "asOf"')
  const { rows: partitions } = await trx.raw<{ rows: Header['partitions'] }>(partitionsStatement)
  const { rows: names } = await trx.raw<{ rows: { name: string }[] }>(sequencesStatement)
  const sequences: Header['sequences'] = []
  for (const { name } of names) {
    const { rows } = await trx.raw<{ rows: [{ value: number; isCalled: boolean }] }>(
      `select last_value as value, is_called as "isCalled" from ${quotedIdentifier(name)}`,
    )
    sequences.push({ name, ...rows[0] })
  }
  return { version, asOf: times[0].asOf, migrations: await appliedTo(trx), partitions, sequences }
}

const partitionsStatement = `
  select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
   where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' order by 1, 2`

const sequencesStatement = `
  select relname as name from pg_class
   where relnamespace = current_schema()::regnamespace and relkind = 'S' and relname not like 'migrations_lock%' order by 1`

/** All tables that outlive a crash, without the partitions of others, and without Knex' own lock. */
async function readTables(trx: Transaction): Promise<TableHead[]> {
  const { rows } = await trx.raw<{ rows: TableHead[] }>(tablesStatement)
  return rows
}

const tablesStatement = `
  select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
     and not c.relispartition and c.relname <> 'migrations_lock'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   group by c.relname order by c.relname`
