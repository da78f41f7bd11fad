import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { RefusalsOfDeliveries } from '../webhooks/refusals.ts'
import { learn, type Habit } from './habit.ts'
import { habitColumns, storeHabits } from './habits.ts'
import { notifySilent, type SilentAgent } from './notify-silent.ts'

/** The most agents in one transaction, and the most transactions in one round. */
const batch = 50
const mostBatches = 20

/** The most agents of which one statement finds that their deliveries still arrive. */
const mostPostponed = 5000

/** A silent agent, and one that is paused or not watched, is looked at again after this many seconds. */
const againSeconds = 3600

/**
 * A process that has just started waits for this many seconds: while the platform was away, it accepted nothing, and
 * senders try again.
 */
const settleSeconds = 900

/** The most runs that are searched for a delivery that was not noted. */
const mostSearched = 1000

/** An agent to judge, under the lock of its habit. */
interface Due extends Habit, SilentAgent {
  /** Whether its silence matters: it waits for deliveries, and its owner did not turn this off. */
  isWatched: boolean
  isDeleted: boolean
}

/** Finds agents whose usual deliveries do not come, and notifies their owners. One process at a time. */
export function createJudge(context: {
  database: Database
  clock: Clock
  notifications: Notifications
  refusals: Pick<RefusalsOfDeliveries, 'of'>
}) {
  const { database, clock } = context
  const settledAt = later(clock.now(), settleSeconds)

  /** Agents that got deliveries in time need no judgment. */
  async function postpone(): Promise<void> {
    const bindings = { now: clock.now(), most: mostPostponed }
    await database.raw(postponeStatement, bindings)
  }

  async function judge(trx: Transaction, due: Due): Promise<Habit | undefined> {
    const now = clock.now()
    if (due.isDeleted) return undefined
    if (!due.isWatched) return { ...due, silentSince: null, dueAt: later(now, againSeconds) }
    const habit = await withMissed(trx, due)
    if (habit.quietSeconds === null) return habit
    const silentAt = later(habit.lastAt, habit.quietSeconds)
    if (silentAt > now) return { ...habit, dueAt: silentAt }
    if (habit.silentSince === null && now < settledAt) return { ...habit, dueAt: settledAt }
    if (habit.silentSince === null) await notifySilent(trx, context, due, habit)
    return { ...habit, silentSince: habit.lastAt, dueAt: later(now, againSeconds) }
  }

  async function judgeSome(): Promise<number> {
    return database.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: Due[] }>(dueStatement, { now: clock.now(), batch })
      const judged: Habit[] = []
      // In the order of agents, like all code that notifies about several, to avoid deadlocks.
      for (const due of rows.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1))) {
        judged.push((await judge(trx, due)) ?? { ...due, silentSince: null, dueAt: null })
      }
      await storeHabits(trx, judged)
      await trx.raw(forgetStatement, { agentIds: rows.flatMap((due) => (due.isDeleted ? [due.agentId] : [])) })
      return rows.length
    })
  }

  return async function round(stopping?: AbortSignal): Promise<void> {
    await postpone()
    for (let left = mostBatches; left > 0; left -= 1) if (stopping?.aborted || (await judgeSome()) < batch) return
  }
}

/** The habit with the latest delivery on record, if no process noted it. */
async function withMissed(trx: Transaction, habit: Habit): Promise<Habit> {
  const { agentId, seenSequence } = habit
  const { rows } = await trx.raw<{ rows: { at: Date; sequence: number }[] }>(missedStatement, {
    agentId,
    seenSequence,
    mostSearched,
  })
  const [missed] = rows
  return missed
    ? learn(habit, agentId, { firstAt: missed.at, lastAt: missed.at, count: 1, sequence: missed.sequence })
    : habit
}

const postponeStatement = `
  update delivery_habits set due_at = last_at + make_interval(secs => quiet_seconds)
   where agent_id = any(array(
     select agent_id from delivery_habits
      where due_at <= :now and silent_since is null and last_at + make_interval(secs => quiet_seconds) > :now
      order by due_at limit :most for update skip locked))`

const dueStatement = `
  select ${habitColumns}, a.owner_id as "ownerId", a.name, a.deleted_at is not null as "isDeleted",
         a.trigger = 'webhook' and a.watch_silence and a.paused_at is null as "isWatched"
    from delivery_habits h join agents a on a.id = h.agent_id
   where h.due_at <= :now
   order by h.due_at limit :batch for no key update of h skip locked`

/** The agent may have many runs that no delivery started. */
const missedStatement = `
  select accepted_at as at, sequence
    from (select accepted_at, sequence, trigger, replay_of from runs
           where agent_id = :agentId and sequence > :seenSequence order by sequence desc limit :mostSearched) latest
   where trigger = 'webhook' and replay_of is null
   order by sequence desc limit 1`

const forgetStatement = 'delete from delivery_habits where agent_id = any(:agentIds::uuid[])'
