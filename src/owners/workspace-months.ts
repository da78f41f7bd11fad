import { raw } from 'objection'
import type { Database, Transaction } from '../database/database.ts'

/** What a workspace has used in each month, the latest first: a row for each month of its life. */
export async function monthsOf(db: Database, workspaceId: string): Promise<{ month: string; credits: number }[]> {
  const { rows } = await db.raw<{ rows: { month: string; credits: number }[] }>(monthsStatement, { workspaceId })
  return rows
}

/** What holds a workspace back. */
export interface WorkspaceBounds {
  /** What its cap has left of the month, in credits; Infinity without one. */
  left: number
  isDeleted: boolean
}

/**
 * Reads what holds a workspace back at a time of its account; undefined for a user. A workspace that was deleted has
 * nothing left: its agents must not continue unseen.
 */
export async function boundsOf(
  db: Database | Transaction,
  workspaceId: string,
  now: Date,
): Promise<WorkspaceBounds | undefined> {
  const { rows } = await db.raw<{ rows: WorkspaceBounds[] }>(boundsStatement, { workspaceId, now })
  return rows[0]
}

/** The first day of the calendar month (UTC), as SQL, of a time and the seconds that an account's clock is ahead. */
export const monthAt = (now: string, seconds = '0'): string =>
  `date_trunc('month', (${now}::timestamptz + make_interval(secs => ${seconds})) at time zone 'utc')::date`

/** What an agent's cap has left of the month of the account that pays, as SQL for a query of `agents`; null without a cap. */
export const agentCreditsLeft = (now: Date) => raw(`${leftOfAgent} as credits_left`, { now })

const leftOfAgent = `
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
