import type { Database, Transaction } from '../database/database.ts'

/** Adds what a workspace has used to its month. The payer's account is locked, so months are not locked in another order. */
export async function noteUsed(
  trx: Transaction,
  used: { workspaceId: string; credits: number; now: Date },
): Promise<void> {
  await trx.raw(addStatement, { ...used })
}

/** What a workspace may still use this month, in credits; undefined if it has no cap. */
export async function leftOfCap(
  db: Database | Transaction,
  workspaceId: string,
  now: Date,
): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: { left: number | null }[] }>(leftStatement, { workspaceId, now })
  return rows[0]?.left ?? undefined
}

const month = `date_trunc('month', :now::timestamptz at time zone 'utc')::date`

const addStatement = `
  insert into workspace_months as known (workspace_id, month, credits) values (:workspaceId, ${month}, :credits)
  on conflict (workspace_id, month) do update set credits = known.credits + excluded.credits`

const leftStatement = `
  select (w.credits_per_month - coalesce(m.credits, 0))::float8 as left
    from workspaces w left join workspace_months m on m.workspace_id = w.id and m.month = ${month}
   where w.id = :workspaceId`
