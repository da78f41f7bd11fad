import type { Database } from '../../../src/database/database.ts'

interface Column {
  table: string
  column: string
  type: string
}

interface Index {
  table: string
  name: string
  isUnique: boolean
  isValid: boolean
  /** Partitions' indexes follow those of their table. */
  ofPartition: boolean
  columns: string[]
  predicate: string | null
  definition: string
}

interface Constraint {
  table: string
  name: string
  /** As in `pg_constraint`: p, u, f or c. */
  type: string
  columns: string[]
}

interface Table {
  name: string
  options: string[]
  /** A partitioned table has one, which takes what fits into no other; null for other tables. */
  hasDefault: boolean | null
}

/** The tables of knex have their own ways. */
const ours = `relnamespace = 'public'::regnamespace and relname not in ('migrations', 'migrations_lock')`

/** What Postgres knows of the schema. */
export async function readCatalog(database: Database) {
  const read = async <T>(sql: string) => (await database.raw<{ rows: T[] }>(sql)).rows
  return {
    tables: await read<Table>(`
      select relname as name, coalesce(reloptions, '{}') as options, partdefid <> 0 as "hasDefault"
        from pg_class c left join pg_partitioned_table on partrelid = c.oid
       where relkind in ('r', 'p') and not relispartition and ${ours}`),
    columns: await read<Column>(`
      select relname as table, attname as column, format_type(atttypid, atttypmod) as type
        from pg_attribute join pg_class c on c.oid = attrelid
       where relkind in ('r', 'p') and attnum > 0 and not attisdropped and not relispartition and ${ours}`),
    indexes: await read<Index>(`
      select relname as table, indexrelid::regclass::text as name, indisunique as "isUnique", indisvalid as "isValid",
             relispartition as "ofPartition", pg_get_expr(indpred, indrelid) as predicate,
             pg_get_indexdef(indexrelid) as definition,
             array(select coalesce(attname, '')::text from unnest(indkey::int2[]) with ordinality as k (number, place)
                     left join pg_attribute on attrelid = indrelid and attnum = number
                    order by place) as columns
        from pg_index join pg_class c on c.oid = indrelid where ${ours}`),
    constraints: await read<Constraint>(`
      select relname as table, conname as name, contype as type,
             array(select attname::text from unnest(conkey) as number
                     join pg_attribute on attrelid = conrelid and attnum = number) as columns
        from pg_constraint join pg_class c on c.oid = conrelid
       where contype in ('p', 'u', 'f', 'c') and conparentid = 0 and not relispartition and ${ours}`),
  }
}
