import type { Config } from '../config/config.ts'
import { isTransient, type Database, type Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { lockHost, readHost, type HostRead } from './read-host.ts'
import { OutgoingSlot } from './outgoing-slot.ts'
import { msUntilTurn } from './outgoing-turns.ts'

export interface SlotRequest {
  /** The name, with its port if ports count separately. */
  host: string
  /**
   * The key of a fair share of the host: an owner, and after a slash one of its agents, its chats or its direct calls.
   */
  share: string
  callId: string
  /** Whether the call queues for its turn, however late. */
  mayWait: boolean
  /** A call without `mayWait` queues for a turn within this time, in milliseconds. If it gives up, it must `leave`. */
  patienceMs?: number | undefined
}

/** Whether the call may be sent now. `notBefore`, in `inMs`, is an estimate of at least a second. */
export type SlotDecision =
  | { kind: 'granted'; slotId: string }
  | { kind: 'later'; notBefore: Date; inMs: number; why: 'limit' | 'held' }
  | { kind: 'suspended'; reason: string }

/** Durations of the limit, in milliseconds. Only tests change them. */
export interface OutgoingPace {
  /**
   * Between the end of a call and the next in its slot: the site may have received the call at any time before its end.
   */
  windowMs: number
  /** The shortest wait. Also the expected duration of a call in progress. */
  minWaitMs: number
  /** How late a waiting call may ask again before it counts as dead and loses its position. */
  graceMs: number
  /**
   * How much longer than its timeout a call may hold its slot before its process counts as dead. Covers the time
   * between taking the slot and sending, when a slow database records the call.
   */
  marginMs: number
}

const defaultPace: OutgoingPace = { windowMs: 60_000, minWaitMs: 1000, graceMs: 30_000, marginMs: 60_000 }

/** How long expired rows are kept, so that late releases and late waiting calls still find them. */
const retentionMinutes = 60

const defaultHoldSeconds = 60

/** How long a proposal is kept after manifests stopped making it. Manifests are read once a day. */
const proposalDays = 30

/**
 * The host limit, shared by all processes: calls in any 60 seconds as the site sees them, in equal shares
 * (docs/understand/fairness.md, "The limit of a host"). A slot counts until a minute after its call has ended, because
 * the call may arrive at any time between. All times are the database's, because process clocks differ.
 */
export function createOutgoingLimit(context: {
  database: Database
  config: { sites: Pick<Config['sites'], 'callsPerMinute' | 'timeoutSeconds' | 'holdMinutes'> }
  pace?: OutgoingPace
}) {
  const { database, pace = defaultPace } = context
  const { callsPerMinute: limit, timeoutSeconds, holdMinutes } = context.config.sites
  const longestMs = timeoutSeconds * 1000 + pace.marginMs + pace.windowMs

  async function decide(trx: Transaction, request: SlotRequest): Promise<SlotDecision> {
    await lockHost(trx, request.host)
    const read = await readHost(trx, { call: request, limit, pace })
    if (read.suspended !== null) return { kind: 'suspended', reason: read.suspended }
    const waitMs = read.heldUntil ? undefined : waitFor(request, read)
    if (waitMs === 0) return { kind: 'granted', slotId: await occupy(trx, request, longestMs) }
    const notBefore = read.heldUntil ?? new Date(Math.ceil(read.now + Math.max(waitMs ?? 0, pace.minWaitMs)))
    const inMs = notBefore.getTime() - read.now
    if (request.mayWait || inMs <= (request.patienceMs ?? 0)) await addToWaiting(trx, request, notBefore)
    return { kind: 'later', notBefore, inMs, why: read.heldUntil ? 'held' : 'limit' }
  }

  function waitFor(request: SlotRequest, { contended, limit }: HostRead): number {
    if (!contended) return 0
    const state = { ...contended, limit, roundMs: pace.windowMs + pace.minWaitMs }
    // A call that asks after the slot would be free again needs no reservation.
    const soonCalls = contended.calls.filter(({ asksInMs }) => asksInMs < pace.windowMs)
    if (msUntilTurn(request.callId, { ...state, calls: soonCalls }) === 0) return 0
    return Math.max(1, msUntilTurn(request.callId, state) ?? 0)
  }

  return {
    /**
     * Takes a slot directly before sending, or returns when to ask again. A call that asks again at that time normally
     * gets a slot, and never loses its position. The call's deadline must start before this, and `release` must follow.
     */
    take: (request: SlotRequest): Promise<SlotDecision> => database.transaction((trx) => decide(trx, request)),

    /**
     * Ends a call: its slot counts for one more minute. Without a release, after a crash, it counts for the longest
     * possible call. So this does not throw while the database is unreachable.
     */
    async release(slotId: string): Promise<void> {
      try {
        await database.raw(releaseStatement, { slotId, ms: pace.windowMs })
      } catch (error) {
        if (!isTransient(error)) throw error
      }
    },

    async leave(callId: string): Promise<void> {
      await database.raw(leaveStatement, { callId })
    },

    /** Frees a slot whose call was not sent, as if it had not been taken. */
    async releaseUnused(slotId: string): Promise<void> {
      await OutgoingSlot.query(database).deleteById(slotId)
    },

    /**
     * Holds the host after a 429: no calls for the given seconds (60 by default), at most OUTGOING_HOLD_MINUTES. A
     * longer hold stays. Returns its end.
     */
    async hold(host: string, seconds: number | undefined, reason: string): Promise<Date> {
      const ms = Math.min(Math.max(seconds ?? defaultHoldSeconds, 1), holdMinutes * 60) * 1000
      const { rows } = await database.raw<{ rows: [{ heldUntil: Date }] }>(holdStatement, { host, ms, reason })
      return rows[0].heldUntil
    },

    /** Until when nothing may be asked of the host, not even what needs no slot; undefined if it may be asked. */
    async heldUntil(host: string): Promise<Date | undefined> {
      const { rows } = await database.raw<{ rows: { until: Date }[] }>(heldStatement, { host })
      return rows[0]?.until
    },

    /** Deletes rows that expired an hour ago, finished holds, old proposals, and hosts without state. */
    async purge(): Promise<void> {
      await database.raw(`delete from outgoing_slots where free_at < ${past}`)
      await database.raw(`delete from outgoing_waits where ask_again_at < ${past}`)
      await database.raw(endHoldsStatement)
      await database.raw(endProposalsStatement)
      // A transaction that waits for the lock of a deleted host inserts it again; see `lockHost`.
      await database.raw(deleteHostsStatement)
    },
  }
}

export type OutgoingLimit = ReturnType<typeof createOutgoingLimit>

async function occupy(trx: Transaction, { host, share, callId }: SlotRequest, longestMs: number): Promise<string> {
  const id = newId()
  await trx.raw(occupyStatement, { id, host, share, callId, ms: longestMs })
  return id
}

async function addToWaiting(trx: Transaction, { host, share, callId }: SlotRequest, askAgainAt: Date): Promise<void> {
  await trx.raw(waitStatement, { host, share, callId, askAgainAt })
}

const inMs = `statement_timestamp() + cast(:ms as float8) * interval '1 millisecond'`

const occupyStatement = `
  with done as (delete from outgoing_waits where call_id = :callId)
  insert into outgoing_slots (id, host, share, taken_at, free_at)
    values (:id, :host, :share, statement_timestamp(), ${inMs})`

/** A waiting call keeps the time at which it first asked. */
const waitStatement = `
  insert into outgoing_waits (call_id, host, share, asked_at, ask_again_at)
    values (:callId, :host, :share, statement_timestamp(), :askAgainAt)
  on conflict (call_id) do update
    set host = excluded.host, share = excluded.share, ask_again_at = excluded.ask_again_at`

const releaseStatement = `
  update outgoing_slots set ended_at = statement_timestamp(), free_at = ${inMs}
   where id = :slotId and ended_at is null`

const holdStatement = `
  insert into outgoing_hosts as known (host, held_until, held_reason)
    values (:host, date_trunc('milliseconds', ${inMs}), :reason)
  on conflict (host) do update set
    held_until = greatest(known.held_until, excluded.held_until),
    held_reason = case when known.held_until >= excluded.held_until then known.held_reason
                  else excluded.held_reason end
  returning held_until as "heldUntil"`

/** A suspended host is looked at again after a minute. */
const heldStatement = `
  select greatest(held_until, case when suspended_at is not null then statement_timestamp() + interval '1 minute' end)
         as until
    from outgoing_hosts where host = :host and (held_until > statement_timestamp() or suspended_at is not null)`

const past = `statement_timestamp() - interval '${retentionMinutes} minutes'`

const endHoldsStatement = `
  update outgoing_hosts set held_until = null, held_reason = null where held_until < statement_timestamp()`

const endProposalsStatement = `
  update outgoing_hosts set proposed_per_minute = null, proposed_at = null
   where proposed_at < statement_timestamp() - interval '${proposalDays} days'`

const leaveStatement = 'delete from outgoing_waits where call_id = :callId'

const deleteHostsStatement = `
  delete from outgoing_hosts host
   where held_until is null and suspended_at is null and calls_per_minute is null and proposed_at is null
     and not exists (select from outgoing_slots slot where slot.host = host.host)
     and not exists (select from outgoing_waits wait where wait.host = host.host)`
