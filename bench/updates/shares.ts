import { Client } from 'pg'

/** How a table was updated, and its bytes. */
interface HotShare {
  table: string
  updates: number
  hot: number
  rows: number
  indexes: number
}

/** The connections of the load must be closed: they report what they counted when they end. */
export async function hotShares(connectionString: string): Promise<HotShare[]> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<Record<keyof HotShare, string>>(statement)
  await client.end()
  return rows.map(({ table, ...counts }) => ({
    table,
    updates: Number(counts.updates),
    hot: Number(counts.hot),
    rows: Number(counts.rows),
    indexes: Number(counts.indexes),
  }))
}

const statement = `
  select relname as table, n_tup_upd as updates, n_tup_hot_upd as hot, pg_relation_size(relid) as rows,
         pg_indexes_size(relid) as indexes
    from pg_stat_user_tables where relname in ('runs', 'agent_queues') order by relname desc`
