import type { Transaction } from '../database/database.ts'
import { OutgoingHost } from './outgoing-host.ts'
import type { CountedSlot, WaitingCall } from './outgoing-turns.ts'

export interface HostRead {
  /** The database's time, in milliseconds since 1970. */
  now: number
  suspended: string | null
  heldUntil: Date | null
  limit: number
  /** Null if every call gets a free slot: then the order does not matter. */
  contended: { slots: CountedSlot[]; calls: (WaitingCall & { asksInMs: number })[]; served: string[] } | null
}

/**
 * Serializes decisions about the host across all processes. The row is locked without a write, and read again if
 * another transaction deleted or created it in the meantime.
 */
export async function lockHost(trx: Transaction, host: string): Promise<void> {
  for (;;) {
    // A process that freezes here must not keep the lock: other calls to the host wait for it.
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
  limit: number
  slots: { share: string; freeInMs: number }[] | null
  calls: { id: string; share: string; asksInMs: number }[] | null
  served: string[] | null
}

/**
 * Reads the state of the host as of the start of this statement, after the lock was taken. One statement that locks and
 * reads would see the state before its wait. Without contention it only counts; with contention it reads slots and
 * waiting calls one by one.
 */
export async function readHost(
  trx: Transaction,
  {
    call,
    limit,
    pace,
  }: {
    call: { host: string; share: string; callId: string }
    limit: number
    pace: { windowMs: number; minWaitMs: number; graceMs: number }
  },
): Promise<HostRead> {
  const { host, share, callId } = call
  const roundMs = pace.windowMs + pace.minWaitMs
  const bindings = { host, callId, limit, roundMs, graceMs: pace.graceMs, remembered }
  const { rows } = await trx.raw<{ rows: [Read] }>(readStatement, bindings)
  const [{ slots, calls, served, ...read }] = rows
  if (slots === null || calls === null || served === null) return { ...read, contended: null }
  // A waiting call keeps its position; a new one is last.
  const others = calls.filter(({ id }) => id !== callId)
  const self = { id: callId, share, asksInMs: 0 }
  const contended =
    others.length < calls.length ? calls.map((call) => (call.id === callId ? self : call)) : [...others, self]
  return { ...read, contended: { slots, calls: contended, served } }
}

/** How many of a host's last calls determine which share was served longest ago. */
const remembered = 1000

/**
 * The slot of a call in progress counts as free one window after its expected end. Waiting for the longest possible
 * call would leave slots unused. Dead waiting calls are excluded, except the call that asks.
 */
const readStatement = `
  with total as materialized (
    select
      (select coalesce(calls_per_minute, cast(:limit as integer)) from outgoing_hosts where host = :host) as allowed,
      (select count(*) from outgoing_slots where host = :host and free_at > statement_timestamp())
      + (select count(*) from outgoing_waits where host = :host and call_id <> :callId
          and ask_again_at > statement_timestamp() - :graceMs * interval '1 millisecond') as wanted
  )
  select
    cast(extract(epoch from statement_timestamp()) * 1000 as float8) as now,
    case when suspended_at is not null then coalesce(suspended_reason, '') end as suspended,
    case when held_until > statement_timestamp() then held_until end as "heldUntil",
    total.allowed as "limit",
    case when total.wanted >= total.allowed then (
      select coalesce(json_agg(json_build_object('share', share, 'freeInMs', free_in) order by free_in), '[]')
      from (
        select share, least(
          extract(epoch from free_at - statement_timestamp()) * 1000,
          case when ended_at is null then cast(:roundMs as float8) end
        ) as free_in
        from outgoing_slots where host = :host and free_at > statement_timestamp()
      ) counted
    ) end as slots,
    case when total.wanted >= total.allowed then (
      select coalesce(json_agg(json_build_object(
        'id', call_id, 'share', share, 'asksInMs', extract(epoch from ask_again_at - statement_timestamp()) * 1000
      ) order by asked_at, call_id), '[]')
      from outgoing_waits where host = :host and (
        call_id = :callId or ask_again_at > statement_timestamp() - :graceMs * interval '1 millisecond')
    ) end as calls,
    case when total.wanted >= total.allowed then (
      select coalesce(json_agg(share order by last_at), '[]')
      from (
        select share, max(taken_at) as last_at
        from (select share, taken_at from outgoing_slots where host = :host order by free_at desc limit :remembered) recent
        group by share
      ) shares
    ) end as served
  from outgoing_hosts cross join total where host = :host`
