import { Client } from 'pg'

/** What a table takes on disk, with all its partitions. */
interface TableSize {
  rows: number
  indexes: number
}

export async function sizes(connectionString: string): Promise<Map<string, TableSize>> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ name: string; rows: string; indexes: string }>(statement)
  await client.end()
  return new Map(rows.map(({ name, ...size }) => [name, { rows: Number(size.rows), indexes: Number(size.indexes) }]))
}

const statement = `
  select c.relname as name, sum(pg_table_size(t.oid)) as rows, sum(pg_indexes_size(t.oid)) as indexes
    from pg_class c
    join pg_class t on t.oid = c.oid or t.oid in (select relid from pg_partition_tree(c.oid))
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
   group by c.relname`
