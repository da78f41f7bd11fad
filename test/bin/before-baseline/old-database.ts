import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Client } from 'pg'
import { createEmptyDatabase, onServer } from '../../helpers/database.ts'

/** Rows as text, which has every value as it is stored; nulls are left out. */
type Rows = Record<string, string>[]

/** What a platform of the release before held at one moment; it was at work on several runs. */
interface Snapshot {
  takenAt: string
  /** Who owns the agents. */
  person: { email: string; password: string }
  /** Of the agent that is called `done`. */
  webhookSecret: string
  /** The hosts of the sites that were connected. No server gets their ports by itself, so none is there by chance. */
  sites: { bad: string; limited: string; calm: string }
  tables: Record<string, Rows>
}

/** Seals the snapshot's tokens and secrets. */
export const snapshotKeys = { VAULT_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}` }

const read = (name: string) => readFile(join(import.meta.dirname, name), 'utf8')

/** The snapshot; with `hosts`, as if it had been taken just now, at these sites. */
export async function readSnapshot(hosts?: Snapshot['sites']): Promise<Snapshot> {
  const text = await read('data.json')
  const snapshot = JSON.parse(text) as Snapshot
  if (!hosts) return snapshot
  const { sites, takenAt } = snapshot
  const moved = text.replaceAll(sites.bad, hosts.bad).replaceAll(sites.limited, hosts.limited)
  return JSON.parse(shifted(moved.replaceAll(sites.calm, hosts.calm), Date.now() - Date.parse(takenAt))) as Snapshot
}

/** The text with later times, which may be as Postgres or as JavaScript writes them. */
const shifted = (text: string, ms: number): string =>
  text.replaceAll(/(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00|Z)/g, (_, day: string, time: string) =>
    new Date(Date.parse(`${day}T${time}Z`) + ms).toISOString(),
  )

/** A database of the release before, with the rows of the snapshot. */
export async function createOldDatabase(t: ExecutionContext, { tables }: Snapshot): Promise<{ url: string }> {
  const { url } = await createEmptyDatabase(t)
  await onServer(url, async (client) => {
    await client.query(await read('schema.sql'))
    // Tables in the order of their names refer to each other.
    await client.query('set session_replication_role = replica')
    for (const [table, rows] of Object.entries(tables)) for (const row of rows) await insert(client, table, row)
  })
  return { url }
}

async function insert(client: Client, table: string, row: Rows[number]): Promise<void> {
  const columns = Object.keys(row).map((column) => `"${column}"`)
  const values = columns.map((_, index) => `$${index + 1}`)
  await client.query(
    `insert into ${table} (${columns.join(', ')}) overriding system value values (${values.join(', ')})`,
    Object.values(row),
  )
}

/** The rows of every table but those of the migrations, in no particular order, so sorted by their text. */
export const readTables = (url: string): Promise<Record<string, Rows>> =>
  onServer(url, async (client) => {
    await client.query(`set time zone 'UTC'`)
    const { rows } = await client.query<{ name: string; columns: string[] }>(tablesStatement)
    const read: Record<string, Rows> = {}
    for (const { name, columns } of rows) {
      const texts = columns.map((column) => `"${column}"::text`).join(', ')
      const { rows: found } = await client.query<Record<string, string | null>>(`select ${texts} from ${name}`)
      read[name] = sorted(found.map(withoutNulls))
    }
    return read
  })

const withoutNulls = (row: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(row).filter((pair): pair is [string, string] => pair[1] !== null))

/** Rows without regard to their order, nor to that of their columns. */
export function sorted(rows: Rows): Rows {
  const sortedColumns = rows.map((row) =>
    Object.fromEntries(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1))),
  )
  const keyed = sortedColumns.map((row) => ({ row, key: JSON.stringify(row) }))
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ row }) => row)
}

const tablesStatement = `
  select c.relname::text as name, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not like 'migrations%'
   group by c.relname`
