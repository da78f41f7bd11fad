import type { Database } from '../../src/database/database.ts'

/** How many rows every table has, and a digest of what is in them. */
export async function snapshot(database: Database): Promise<Record<string, string>> {
  const { rows } = await database.raw<{ rows: { name: string }[] }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of rows) digests[name] = await digest(database, name)
  return digests
}

/**
 * What a refused request may not change. Of the requests of other tests that are under way, nothing is known yet, and a
 * refused delivery is recorded as such. When accepted ones arrived is noted seconds later.
 */
const compared: Record<string, string> = {
  audit_entries: 'where outcome is not null',
  refused_deliveries: 'where false',
  delivery_habits: 'where false',
}

async function digest(database: Database, table: string): Promise<string> {
  const { rows } = await database.raw<{ rows: { digest: string }[] }>(
    `select count(*) || ' rows, ' || md5(coalesce(string_agg(r::text, ' ' order by r::text), '')) as digest from ?? r ${compared[table] ?? ''}`,
    [table],
  )
  return rows[0]?.digest ?? ''
}
