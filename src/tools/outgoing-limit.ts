import type { Config } from '../config/config.ts'
import { isTransient, type Database, type Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { lockHost, readHost, type HostRead } from './outgoing-reads.ts'
import { OutgoingSlot } from './outgoing-slot.ts'
import { turnOf } from './outgoing-turns.ts'

/** A call that is about to be made. */
interface Ask {
  /** As `new URL(...).host` gives it. */
  host: string
  /** Who is to have a fair share of the host: an agent, or the owner of direct calls. */
  share: string
  callId: string
  /** Whether the call takes a place in the queue if it is not its turn, or is forgotten. */
  mayWait: boolean
}

/** Whether the call may be made at this moment. `notBefore` is an estimate, at least a second away. */
export type Turn =
  | { kind: 'granted'; slotId: string }
  | { kind: 'later'; notBefore: Date; why: 'limit' | 'held' }
  | { kind: 'suspended'; reason: string }

/** Durations of the limit, in milliseconds. Only tests have reason to set them. */
export interface OutgoingPace {
  /** Between the end of a call and the next one in its slot; the site may have seen it at any time before its end. */
  windowMs: number
  /** Nobody is told to come back sooner. Also how long a call under way is expected to go on. */
  soonestMs: number
  /** How late a waiting call may come back before it is taken for dead, and its turn goes to others. */
  patienceMs: number
  /**
   * How much longer than its timeout a call may hold its slot before the process that made it is taken for dead. It
   * covers what happens between taking a slot and sending: a write to the ledger by a database that is slow.
   */
  marginMs: number
}

const minute: OutgoingPace = { windowMs: 60_000, soonestMs: 1000, patienceMs: 30_000, marginMs: 60_000 }

/** What is of no use any more is kept for so long, so that late releases and late waiters still find their rows. */
const keptMinutes = 60

const defaultHoldSeconds = 60

/**
 * The limit of tool calls to one host, kept by all processes together: OUTGOING_PER_MINUTE in any 60 seconds as the
 * site sees them, and each share as much as any other (docs/design.md, "Outgoing requests"). A slot counts from being
 * taken until a minute after its call has ended, because the call may arrive at any time between. All times are the
 * database's: the clocks of processes differ, and one that is fast must not free what another holds.
 */
export function createOutgoingLimit(context: {
  database: Database
  config: { sites: Pick<Config['sites'], 'callsPerMinute' | 'timeoutSeconds' | 'holdMinutes'> }
  pace?: OutgoingPace
}) {
  const { database, pace = minute } = context
  const { callsPerMinute: limit, timeoutSeconds, holdMinutes } = context.config.sites
  const longestMs = timeoutSeconds * 1000 + pace.marginMs + pace.windowMs

  async function decide(trx: Transaction, ask: Ask): Promise<Turn> {
    await lockHost(trx, ask.host)
    const read = await readHost(trx, { ask, limit, pace })
    if (read.suspended !== null) return { kind: 'suspended', reason: read.suspended }
    const waitMs = read.heldUntil ? undefined : waitFor(ask, read)
    if (waitMs === 0) return { kind: 'granted', slotId: await occupy(trx, ask, longestMs) }
    const notBefore = read.heldUntil ?? new Date(Math.ceil(read.now + Math.max(waitMs ?? 0, pace.soonestMs)))
    if (ask.mayWait) await queue(trx, ask, notBefore)
    return { kind: 'later', notBefore, why: read.heldUntil ? 'held' : 'limit' }
  }

  /** In milliseconds; 0 if it is the call's turn. */
  function waitFor(ask: Ask, { contended }: HostRead): number {
    if (!contended) return 0
    const state = { ...contended, limit, roundMs: pace.windowMs + pace.soonestMs }
    // No slot is kept free for those who will ask when it would be free again anyway.
    const soon = contended.askers.filter(({ asksInMs }) => asksInMs < pace.windowMs)
    if (turnOf(ask.callId, { ...state, askers: soon }) === 0) return 0
    return Math.max(1, turnOf(ask.callId, state) ?? 0)
  }

  return {
    /**
     * Takes a slot at the moment of sending, or says when to ask again; asking again at that time, the call normally gets
     * it, and never loses its place in the order. A call's deadline must run from before this, and `release` follow.
     */
    take: (ask: Ask): Promise<Turn> => database.transaction((trx) => decide(trx, ask)),

    /**
     * The call has ended: its slot counts for one more minute. Without this, after a crash, it counts for as long as the
     * call can have lasted; therefore it does not fail when the database is away.
     */
    async release(slotId: string): Promise<void> {
      try {
        await database.raw(releaseStatement, { slotId, ms: pace.windowMs })
      } catch (error) {
        if (!isTransient(error)) throw error
      }
    },

    /** Nothing was sent in the slot after all: it is free at once, as if it had not been taken. */
    async giveBack(slotId: string): Promise<void> {
      await OutgoingSlot.query(database).deleteById(slotId)
    },

    /**
     * The site has asked for a pause (429): nobody calls the host for so many seconds, 60 where it did not say, no longer
     * than OUTGOING_HOLD_MINUTES. A longer hold stays. Says until when.
     */
    async hold(host: string, seconds: number | undefined, reason: string): Promise<Date> {
      const ms = Math.min(Math.max(seconds ?? defaultHoldSeconds, 1), holdMinutes * 60) * 1000
      const { rows } = await database.raw<{ rows: [{ heldUntil: Date }] }>(holdStatement, { host, ms, reason })
      return rows[0].heldUntil
    },

    /** Forgets what has been of no use for an hour, holds that are over, and hosts of which nothing is left to know. */
    async purge(): Promise<void> {
      await database.raw(`delete from outgoing_slots where free_at < ${past}`)
      await database.raw(`delete from outgoing_waits where ask_again_at < ${past}`)
      await database.raw(endHoldsStatement)
      // A host that is deleted while somebody waits for its lock is made again by him, see `lockHost`.
      await database.raw(forgetHostsStatement)
    },
  }
}

export type OutgoingLimit = ReturnType<typeof createOutgoingLimit>

async function occupy(trx: Transaction, { host, share, callId }: Ask, longestMs: number): Promise<string> {
  const id = newId()
  await trx.raw(occupyStatement, { id, host, share, callId, ms: longestMs })
  return id
}

async function queue(trx: Transaction, { host, share, callId }: Ask, askAgainAt: Date): Promise<void> {
  await trx.raw(queueStatement, { host, share, callId, askAgainAt })
}

/** So many milliseconds from the present of the database. */
const inMs = `statement_timestamp() + cast(:ms as float8) * interval '1 millisecond'`

const occupyStatement = `
  with done as (delete from outgoing_waits where call_id = :callId)
  insert into outgoing_slots (id, host, share, taken_at, free_at)
    values (:id, :host, :share, statement_timestamp(), ${inMs})`

/** Whoever waits already keeps the time at which it first asked. */
const queueStatement = `
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

const past = `statement_timestamp() - interval '${keptMinutes} minutes'`

const endHoldsStatement = `
  update outgoing_hosts set held_until = null, held_reason = null where held_until < statement_timestamp()`

const forgetHostsStatement = `
  delete from outgoing_hosts host
   where held_until is null and suspended_at is null
     and not exists (select from outgoing_slots slot where slot.host = host.host)
     and not exists (select from outgoing_waits wait where wait.host = host.host)`
