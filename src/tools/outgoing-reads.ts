import type { Transaction } from '../database/database.ts'
import { OutgoingHost } from './outgoing-host.ts'
import type { Asker, CountedSlot } from './outgoing-turns.ts'

/** What the decision about a call is made from. */
export interface HostRead {
  /** The database's present, in milliseconds of the epoch. */
  now: number
  /** Why the host is suspended, null if it is not. */
  suspended: string | null
  /** Until when the host wants no calls, null if it takes them. */
  heldUntil: Date | null
  /** Null where everybody who asks can have a slot at once: then nobody's turn has to be worked out. */
  contended: { slots: CountedSlot[]; askers: (Asker & { asksInMs: number })[]; served: string[] } | null
}

/**
 * Makes the transaction the only one, in all processes, that decides about the host. The row is locked without being
 * written, and looked for again if it was deleted or made by another transaction meanwhile.
 */
export async function lockHost(trx: Transaction, host: string): Promise<void> {
  for (;;) {
    // Whoever stops here with the lock in its hands, frozen, loses it soon: others want to call the host.
    const { rows } = await trx.raw<{ rows: unknown[] }>(lockStatement, { host })
    if (rows.length > 0) return
    await OutgoingHost.query(trx).insert({ host }).onConflict().ignore()
  }
}

const lockStatement = `
  select set_config('idle_in_transaction_session_timeout', '3s', true) from outgoing_hosts where host = :host for update`

interface Read {
  now: number
  suspended: string | null
  heldUntil: Date | null
  slots: { share: string; freeInMs: number }[] | null
  askers: { id: string; share: string; asksInMs: number }[] | null
  served: string[] | null
}

/**
 * Reads what counts for the host at the start of this statement, which is after the lock was had: a statement that locks
 * and reads would see what was before it waited. Where all fit, counting is all that is done; slots and waiting calls are
 * read one by one only where they contend.
 */
export async function readHost(
  trx: Transaction,
  {
    ask,
    limit,
    pace,
  }: {
    ask: { host: string; share: string; callId: string }
    limit: number
    pace: { windowMs: number; soonestMs: number; patienceMs: number }
  },
): Promise<HostRead> {
  const { host, share, callId } = ask
  const roundMs = pace.windowMs + pace.soonestMs
  const bindings = { host, callId, limit, roundMs, patienceMs: pace.patienceMs, remembered }
  const { rows } = await trx.raw<{ rows: [Read] }>(readStatement, bindings)
  const [{ now, suspended, heldUntil, slots, askers, served }] = rows
  if (slots === null || askers === null || served === null) return { now, suspended, heldUntil, contended: null }
  // Who waits already has its place; who is new is the last.
  const others = askers.filter(({ id }) => id !== callId)
  const self = { id: callId, share, asksInMs: 0 }
  const contended =
    others.length < askers.length ? askers.map((asker) => (asker.id === callId ? self : asker)) : [...others, self]
  return { now, suspended, heldUntil, contended: { slots, askers: contended, served } }
}

/** How many of a host's last calls are looked at for which share was served longest ago. */
const remembered = 1000

/**
 * A call under way frees its slot a window after its end, which is expected soon: waiting for the longest time that it
 * may take would leave slots unused. Dead waiters are left out, but not the one who asks.
 */
const readStatement = `
  with total as materialized (
    select
      (select count(*) from outgoing_slots where host = :host and free_at > statement_timestamp())
      + (select count(*) from outgoing_waits where host = :host and call_id <> :callId
          and ask_again_at > statement_timestamp() - :patienceMs * interval '1 millisecond') as wanted
  )
  select
    cast(extract(epoch from statement_timestamp()) * 1000 as float8) as now,
    case when suspended_at is not null then coalesce(suspended_reason, '') end as suspended,
    case when held_until > statement_timestamp() then held_until end as "heldUntil",
    case when total.wanted >= :limit then (
      select coalesce(json_agg(json_build_object('share', share, 'freeInMs', free_in) order by free_in), '[]')
      from (
        select share, least(
          extract(epoch from free_at - statement_timestamp()) * 1000,
          case when ended_at is null then cast(:roundMs as float8) end
        ) as free_in
        from outgoing_slots where host = :host and free_at > statement_timestamp()
      ) counted
    ) end as slots,
    case when total.wanted >= :limit then (
      select coalesce(json_agg(json_build_object(
        'id', call_id, 'share', share, 'asksInMs', extract(epoch from ask_again_at - statement_timestamp()) * 1000
      ) order by asked_at, call_id), '[]')
      from outgoing_waits where host = :host and (
        call_id = :callId or ask_again_at > statement_timestamp() - :patienceMs * interval '1 millisecond')
    ) end as askers,
    case when total.wanted >= :limit then (
      select coalesce(json_agg(share order by last_at), '[]')
      from (
        select share, max(taken_at) as last_at
        from (select share, taken_at from outgoing_slots where host = :host order by free_at desc limit :remembered) recent
        group by share
      ) shares
    ) end as served
  from outgoing_hosts cross join total where host = :host`
