import type { Database, Transaction } from '../database/database.ts'

/** Adds what a workspace has used to its month. The payer's account is locked, so months are not locked in another order. */
export async function noteUsed(
  trx: Transaction,
  used: { workspaceId: string; credits: number; now: Date },
): Promise<void> {
  await trx.raw(addStatement, { ...used })
}

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

/** Reads what holds a workspace back now; undefined for a user. A workspace that was deleted has nothing left: its agents must not go on unseen. */
export async function boundsOf(
  db: Database | Transaction,
  workspaceId: string,
  now: Date,
): Promise<WorkspaceBounds | undefined> {
  const { rows } = await db.raw<{ rows: WorkspaceBounds[] }>(boundsStatement, { workspaceId, now })
  return rows[0]
}

const month = `date_trunc('month', :now::timestamptz at time zone 'utc')::date`

const addStatement = `
  insert into workspace_months as known (workspace_id, month, credits) values (:workspaceId, ${month}, :credits)
  on conflict (workspace_id, month) do update set credits = known.credits + excluded.credits`

const monthsStatement = `
  select to_char(month, 'YYYY-MM') as month, credits::float8 as credits from workspace_months
   where workspace_id = :workspaceId order by workspace_months.month desc`

const boundsStatement = `
  select w.deleted_at is not null as "isDeleted",
         case when w.deleted_at is not null then 0
              else coalesce((w.credits_per_month - coalesce(m.credits, 0))::float8, 'Infinity') end as left
    from workspaces w left join workspace_months m on m.workspace_id = w.id and m.month = ${month}
   where w.id = :workspaceId`
