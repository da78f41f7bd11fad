import type { Database, Transaction } from '../../../src/database/database.ts'

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

/**
 * How many rows of a table the statements of some work look at, by the plans of Postgres, under the settings of their
 * transactions.
 */
export async function looksAt(database: Database, table: string, work: () => Promise<unknown>): Promise<number> {
  const sent: Sent[] = []
  const note = ({ sql, bindings }: Sent) => void sent.push({ sql, bindings })
  database.on('query', note)
  await work().finally(() => database.off('query', note))
  let looks = 0
  await database.transaction(async (trx) => {
    for (const { sql, bindings } of sent.filter((one) => !/^(begin|commit)\b/i.test(one.sql))) {
      if (sql.startsWith('set local')) await trx.raw(sql)
      else looks += looksIn(await planOf(trx, { sql, bindings }), table)
    }
  })
  return looks
}

async function planOf(trx: Transaction, { sql, bindings }: Sent): Promise<Plan> {
  const { rows } = await trx.raw<{ rows: { 'QUERY PLAN': [{ Plan: Plan }] }[] }>(
    `explain (analyze, format json) ${sql.replaceAll(/\$\d+/g, '?')}`,
    bindings as string[],
  )
  return rows[0]!['QUERY PLAN'][0].Plan
}
