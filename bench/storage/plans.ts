import type { Client } from 'pg'
import { onServer } from '../../test/helpers/database.ts'
import type { Operation } from './operation.ts'
import type { Side } from './side.ts'

interface Sent {
  name: string
  sql: string
  bindings: unknown[]
}

/** The plans of an operation's parts, and the indexes and whole tables that they read. */
export interface Plans {
  reads: Map<string, string[]>
  text: string
}

/** Runs the operation once more on a side, records its statements, and has Postgres explain each. */
export async function explain(operation: Operation, side: Side, url: string): Promise<Plans> {
  const sent = await record(operation, side)
  return onServer(url, async (client) => {
    const reads = new Map<string, string[]>()
    let text = ''
    for (const statement of sent) {
      const plan = await planOf(client, statement)
      reads.set(statement.name, [...new Set([...(reads.get(statement.name) ?? []), ...readsOf(plan)])])
      text += `\n### ${statement.name}\n\n\`\`\`\n${statement.sql.trim()}\n\n${plan}\n\`\`\`\n`
    }
    return { reads, text }
  })
}

async function record(operation: Operation, side: Side): Promise<Sent[]> {
  const { database } = side.services
  const sent: Sent[] = []
  let current: string | undefined
  const note = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
    if (current !== undefined && /^\s*(select|insert|update|delete|with)\b/i.test(sql)) {
      sent.push({ name: current, sql, bindings })
    }
  }
  database.on('query', note)
  await operation.run(side, 1_000_000, async (name, work) => {
    current = name
    try {
      return await work()
    } finally {
      current = undefined
    }
  })
  database.off('query', note)
  return sent
}

/** Updates and deletes are also executed and rolled back. Inserts are not, because their rows already exist. */
async function planOf(client: Client, { sql, bindings }: Sent): Promise<string> {
  const options = /\binsert\s+into\b/i.test(sql) ? '' : '(analyze, buffers)'
  await client.query('begin')
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${options} ${sql}`, bindings)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } catch (error) {
    return `(no plan: ${(error as Error).message})`
  } finally {
    await client.query('rollback')
  }
}

/** The indexes that a plan uses, and the tables that it reads completely. */
function readsOf(plan: string): string[] {
  const indexes = plan.matchAll(/Index (?:Only )?Scan(?: Backward)? using (\S+)|Bitmap Index Scan on (\S+)/g)
  const whole = [...plan.matchAll(/Seq Scan on (\S+)/g)].map(([, table]) => `all of ${table}`)
  const names = [...indexes].map(([, scanned, mapped]) => (scanned ?? mapped ?? '').replace(/_\d{8}(?=_|$)/, '_<week>'))
  return [...new Set([...names, ...whole])]
}
