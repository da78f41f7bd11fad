import { later, type Clock } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { monthAt } from '../../owners/workspace-months.ts'
import { forecastOf, monthOf, type Usage } from './forecast.ts'

/** What can have a cap. */
type Capped = 'agents' | 'workspaces' | 'accounts'

interface Used {
  id: string
  cap: number | null
  used: number
  clockSeconds: number
}

/** Usage of agents, workspaces and accounts in the current month of the paying account. */
export function createUsage({ database, clock }: { database: Database; clock: Clock }) {
  /** By id, for those that exist. */
  async function ofAll(
    kind: Capped,
    ids: readonly string[],
    db: Database | Transaction = database,
  ): Promise<Map<string, Usage>> {
    const now = clock.now()
    const { rows } = await db.raw<{ rows: Used[] }>(statements[kind], { ids, now })
    return new Map(rows.map((row) => [row.id, usageOf(row, later(now, row.clockSeconds))]))
  }

  return {
    ofAll,

    /** No usage for a missing row. */
    of: async (kind: Capped, id: string, db?: Database | Transaction): Promise<Usage> =>
      (await ofAll(kind, [id], db)).get(id) ?? usageOf({ cap: null, used: 0 }, clock.now()),

    /** The credits used on each of the last 14 whole days (UTC), and today, which comes last. */
    async daysOf(
      kind: Exclude<Capped, 'agents'>,
      id: string,
      db: Database | Transaction = database,
    ): Promise<number[]> {
      const { rows } = await db.raw<{ rows: { credits: number }[] }>(daysStatements[kind], { id, now: clock.now() })
      return rows.map(({ credits }) => credits)
    },
  }
}

const usageOf = ({ cap, used }: Pick<Used, 'cap' | 'used'>, now: Date): Usage => ({
  month: monthOf(now),
  used,
  cap,
  forecast: forecastOf(used, now),
})

const ahead = 'coalesce(a.clock_seconds, 0)'
const columns = (row: string) =>
  `${row}.credits_per_month as cap, coalesce(m.credits, 0)::bigint as used, ${ahead} as "clockSeconds"`

const statements: Record<Capped, string> = {
  accounts: `
    select a.owner_id as id, ${columns('a')}
      from accounts a left join credit_months m on m.subject_id = a.owner_id and m.month = ${monthAt(':now', ahead)}
     where a.owner_id = any(:ids)`,
  workspaces: `
    select w.id, ${columns('w')}
      from workspaces w left join accounts a on a.owner_id = w.payer_id
      left join workspace_months m on m.workspace_id = w.id and m.month = ${monthAt(':now', ahead)}
     where w.id = any(:ids)`,
  agents: `
    select g.id, ${columns('g')}
      from agents g left join workspaces w on w.id = g.owner_id
      left join accounts a on a.owner_id = coalesce(w.payer_id, g.owner_id)
      left join credit_months m on m.subject_id = g.id and m.month = ${monthAt(':now', ahead)}
     where g.id = any(:ids)`,
}

/** By the clock of the paying account. */
const daysStatement = (months: string, key: string, payer: string): string => `
  with today as (
    select (:now::timestamptz + make_interval(secs => coalesce(
             (select a.clock_seconds from accounts a where a.owner_id = ${payer}), 0))) at time zone 'utc' as at
  )
  select coalesce(m.days[extract(day from d.day)::int], 0)::bigint as credits
    from today cross join lateral generate_series(today.at - interval '14 days', today.at, interval '1 day') as d (day)
    left join ${months} m on m.${key} = :id and m.month = date_trunc('month', d.day)::date
   order by d.day`

const daysStatements = {
  accounts: daysStatement('credit_months', 'subject_id', ':id'),
  workspaces: daysStatement(
    'workspace_months',
    'workspace_id',
    '(select w.payer_id from workspaces w where w.id = :id)',
  ),
}
