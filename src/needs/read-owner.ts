import { later } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { firstIdAt } from '../ids.ts'
import { isOpen, Outage } from '../outages/outage.ts'
import { VaultEntry } from '../vault/vault-entry.ts'
import type { PendingApproval } from './approvals.ts'
import { noticeDays } from './credentials.ts'

/* What an answer reads besides the agents. Every statement follows an index and reads a bounded number of rows. */

/** Pending approvals that are counted, and the oldest that are listed. */
const mostPending = 1000
const mostApprovals = 20
const mostEntries = 1000
const mostModels = 100
/** Runs of each trigger and state that are counted for a day. */
const mostCounted = 10_000

/** The oldest pending approvals, and the number of all. */
export async function readApprovals(trx: Transaction, ownerId: string, now: Date) {
  const bindings = { ownerId, now, mostPending, mostApprovals }
  const { rows } = await trx.raw<{ rows: (PendingApproval & { pending: number })[] }>(approvalsStatement, bindings)
  return { oldest: rows, pending: rows[0]?.pending ?? 0 }
}

const approvalsStatement = `
  with pending as (
    select * from approvals where owner_id = :ownerId and status = 'pending' and expires_at > :now
     order by id limit :mostPending
  )
  select p.id, p.form_number as "formNumber", p.site_origin as "siteOrigin", p.tool,
         p.requested_at as "requestedAt", p.expires_at as "expiresAt",
         p.run_id as "runId", p.agent_id as "agentId", r.sequence, a.name as "agentName",
         (select count(*)::int from pending) as pending
    from pending p left join runs r on r.id = p.run_id left join agents a on a.id = p.agent_id
   order by p.id limit :mostApprovals`

/** The vault entries whose credential has ended, cannot be refreshed, or expires soon if nobody refreshes it. */
export const readEntries = (trx: Transaction, ownerId: string, now: Date): Promise<VaultEntry[]> =>
  VaultEntry.query(trx)
    .where({ ownerId })
    .where(
      (some) =>
        void some
          .where({ status: 'needs_reauth' })
          .orWhereNotNull('statusReason')
          .orWhere('expiresAt', '<=', later(now, noticeDays * 86_400)),
    )
    .select(...entryColumns)
    .orderBy('id')
    .limit(mostEntries)
    .execute()

const entryColumns =
  'id ownerId origin name authType status statusReason credential expiresAt refreshAfter updatedAt'.split(' ')

/** The models that are out for everybody. */
export const readOutages = (trx: Transaction): Promise<Outage[]> =>
  Outage.query(trx).where(isOpen).select('model', 'beganAt', 'message').orderBy('model').limit(mostModels).execute()

/** How many runs have completed and failed since the day began, of those accepted since the day before. */
export async function readDay(trx: Transaction, ownerId: string, now: Date) {
  const today = new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000)
  const from = firstIdAt(later(today, -86_400))
  const bindings = { ownerId, today, from, mostCounted }
  const { rows } = await trx.raw<{ rows: { status: string; count: number }[] }>(dayStatement, bindings)
  const countOf = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
  return { completedToday: countOf('completed'), failedToday: countOf('failed') }
}

const dayStatement = `
  select s.status, count(*)::int as count
    from unnest(array['completed', 'failed']::run_status[]) as s (status)
   cross join unnest(enum_range(null::run_trigger)) as t (trigger)
   cross join lateral (
     select ended_at from runs
      where owner_id = :ownerId and status = s.status and trigger = t.trigger and id >= :from
      order by id desc limit :mostCounted) r
   where r.ended_at >= :today
   group by s.status`
