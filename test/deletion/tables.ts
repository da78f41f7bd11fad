import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Database } from '../../src/database/database.ts'

type Fate = 'deleted' | 'kept'

/** The tables in docs/contribute/tables.md, in the order of the page, with what happens to each of them. */
function documented(): [table: string, fate: Fate][] {
  const page = readFileSync(fileURLToPath(new URL('../../docs/contribute/tables.md', import.meta.url)), 'utf8')
  // A row without a limit in its second column does not count.
  const rows = [...page.matchAll(/^\| (`.*?`) *\| \S.*?\| (deleted|kept)\b/gm)]
  return rows.flatMap(([, names = '', fate = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']): [string, Fate] => [name, fate as Fate]),
  )
}

/** The tables that the documentation names, as often as it names them. */
export const documentedTables = (): string[] => documented().map(([table]) => table)

/** What happens to each table when its owner is deleted, as the documentation says. */
export const documentedFates = (): Map<string, Fate> => new Map(documented())

/** Every table of the database, partitions left out. */
export async function tablesOf(database: Database): Promise<string[]> {
  const { rows } = await database.raw<{ rows: { name: string }[] }>(`
    select t.table_name as name from information_schema.tables t
      join pg_class c on c.oid = format('%I.%I', t.table_schema, t.table_name)::regclass
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and not c.relispartition order by 1`)
  return rows.map(({ name }) => name)
}

/** The tables with a row that has one of these texts anywhere, and how many such rows there are. */
export async function rowsWith(database: Database, texts: string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const table of await tablesOf(database)) {
    const { rows } = await database.raw<{ rows: [{ count: number }] }>(
      `select count(*)::int as count from ?? as t where exists (
         select from unnest(?::text[]) as one (text) where strpos(t::text, one.text) > 0)`,
      [table, texts],
    )
    if (rows[0].count > 0) found.set(table, rows[0].count)
  }
  return found
}
