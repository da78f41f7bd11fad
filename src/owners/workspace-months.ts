import { raw } from 'objection'
import type { Database, Transaction } from '../database/database.ts'

/** A workspace's usage by month, latest first, with a row for each month of its life. */
export async function monthsOf(db: Database, workspaceId: string): Promise<{ month: string; credits: number }[]> {
  const { rows } = await db.raw<{ rows: { month: string; credits: number }[] }>(monthsStatement, { workspaceId })
  return rows
}

/** The limits on a workspace. */
export interface WorkspaceBounds {
  /** Credits left of this month's cap; Infinity without a cap. */
  left: number
  isDeleted: boolean
}

/**
 * The limits on a workspace at a time of its account; undefined for a user. A deleted workspace has no credits left, so
 * its agents stop.
 */
export async function boundsOf(
  db: Database | Transaction,
  workspaceId: string,
  now: Date,
): Promise<WorkspaceBounds | undefined> {
  const { rows } = await db.raw<{ rows: WorkspaceBounds[] }>(boundsStatement, { workspaceId, now })
  return rows[0]
}

/** SQL for the first day of the calendar month (UTC) of a time, plus the seconds that the account's clock is ahead. */
export const monthAt = (now: string, seconds = '0'): string =>
  `date_trunc('month', (${now}::timestamptz + make_interval(secs => ${seconds})) at time zone 'utc')::date`

/** SQL for the day of that month, from 1. */
export const dayAt = (at: string): string => `extract(day from ${at}::timestamptz at time zone 'utc')::int`

/**
 * SQL for a query of `agents`: what an agent's cap leaves in the current month of the paying account; null without a
 * cap.
 */
export const agentCreditsLeft = (now: Date) => raw(`${leftOfAgent} as credits_left`, { now })

/** SQL for that, in a statement with the binding `now`. */
export const leftOfAgent = `
  (select agents.credits_per_month - coalesce(m.credits, 0)
     from (select coalesce((select w.payer_id from workspaces w where w.id = agents.owner_id), agents.owner_id) as id) payer
     left join accounts a on a.owner_id = payer.id
     left join credit_months m
       on m.subject_id = agents.id and m.month = ${monthAt(':now', 'coalesce(a.clock_seconds, 0)')})`

const monthsStatement = `
  select to_char(month, 'YYYY-MM') as month, credits::float8 as credits from workspace_months
   where workspace_id = :workspaceId order by workspace_months.month desc`

const boundsStatement = `
  select w.deleted_at is not null as "isDeleted",
         case when w.deleted_at is not null then 0
              else coalesce((w.credits_per_month - coalesce(m.credits, 0))::float8, 'Infinity') end as left
    from workspaces w left join workspace_months m on m.workspace_id = w.id and m.month = ${monthAt(':now')}
   where w.id = :workspaceId`
