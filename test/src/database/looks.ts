import type { Database } from '../../../src/database/database.ts'

interface Plan {
  'Relation Name'?: string
  'Actual Loops': number
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

interface Sent {
  sql: string
  bindings: unknown[]
}

const looksIn = (plan: Plan, table: string): number =>
  (plan['Relation Name'] === table
    ? plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0))
    : 0) + (plan.Plans ?? []).reduce((sum, one) => sum + looksIn(one, table), 0)

/** How many rows of a table the statements of some work look at, by the plans of Postgres. */
export async function looksAt(database: Database, table: string, work: () => Promise<unknown>): Promise<number> {
  const sent: Sent[] = []
  const note = ({ sql, bindings }: Sent) => void sent.push({ sql, bindings })
  database.on('query', note)
  await work().finally(() => database.off('query', note))
  let looks = 0
  for (const { sql, bindings } of sent) {
    const { rows } = await database.raw<{ rows: { 'QUERY PLAN': [{ Plan: Plan }] }[] }>(
      `explain (analyze, format json) ${sql.replaceAll(/\$\d+/g, '?')}`,
      bindings as string[],
    )
    looks += looksIn(rows[0]!['QUERY PLAN'][0].Plan, table)
  }
  return looks
}
