import { Client } from 'pg'

/** The rows of a run in one table, each value as text. */
interface TableRows {
  name: string
  columns: string[]
  rows: (string | null)[][]
}

/** A run with everything that refers to it. */
export interface RunRecord {
  runId: string
  agentId: string
  ownerId: string
  tables: TableRows[]
}

/** Reads a run from every table that has its id, and the attempts at its callback. */
export async function readRun(connectionString: string, named?: string): Promise<RunRecord> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const chosen = await client.query<{ id: string; agent_id: string; owner_id: string }>(
      `select id::text, agent_id::text, owner_id::text from runs
        where ended_at is not null and id::text = coalesce($1, id::text) order by events desc, id limit 1`,
      [named],
    )
    const run = chosen.rows[0]
    if (!run) throw new Error('There is no such run, or it has not ended.')
    const tables = [await readTable(client, 'runs', `t.id::text = $1`, run.id)]
    for (const name of await tablesWith(client, 'run_id')) {
      tables.push(await readTable(client, name, `t.run_id::text = $1`, run.id))
    }
    for (const name of await tablesWith(client, 'callback_id')) {
      const condition = `t.callback_id in (select id from callbacks where run_id::text = $1)`
      tables.push(await readTable(client, name, condition, run.id))
    }
    const found = tables.filter(({ rows }) => rows.length > 0)
    return { runId: run.id, agentId: run.agent_id, ownerId: run.owner_id, tables: found }
  } finally {
    await client.end()
  }
}

/** Tables with a column of this name, without the partitions of others. */
async function tablesWith(client: Client, column: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and not c.relispartition and a.attname = $1
        and c.relnamespace = current_schema()::regnamespace order by 1`,
    [column],
  )
  return rows.map(({ name }) => name)
}

async function readTable(client: Client, name: string, condition: string, id: string): Promise<TableRows> {
  const listed = await client.query<{ column: string }>(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
      order by attnum`,
    [name],
  )
  const columns = listed.rows.map(({ column }) => column)
  const values = columns.map((column) => `t.${column}::text`).join(', ')
  const text = `select ${values} from ${name} t where ${condition} order by 1`
  const { rows } = await client.query<(string | null)[]>({ text, values: [id], rowMode: 'array' })
  return { name, columns, rows }
}
