import type { Transaction } from '../database/database.ts'
import type { Habit } from './habit.ts'

/** SQL for the fields of a habit. */
export const habitColumns = `
  h.agent_id as "agentId", h.first_at as "firstAt", h.last_at as "lastAt", h.deliveries, h.seen_sequence as "seenSequence",
  h.gaps, h.quiet_seconds as "quietSeconds", h.due_at as "dueAt", h.silent_since as "silentSince"`

/** Locks the habits of these agents, in the order of their ids. Agents without deliveries have none. */
export async function lockHabits(trx: Transaction, agentIds: readonly string[]): Promise<Map<string, Habit>> {
  const { rows } = await trx.raw<{ rows: Habit[] }>(lockStatement, { agentIds })
  return new Map(rows.map((habit) => [habit.agentId, habit]))
}

/** Stores habits that the transaction has locked. */
export async function storeHabits(trx: Transaction, habits: readonly Habit[]): Promise<void> {
  if (habits.length > 0) await trx.raw(storeStatement, { habits: JSON.stringify(habits) })
}

/**
 * Stores new habits, and returns the ids of their agents. Leaves out agents that have been deleted, or have a habit by
 * now.
 */
export async function beginHabits(trx: Transaction, habits: readonly Habit[]): Promise<Set<string>> {
  if (habits.length === 0) return new Set()
  const { rows } = await trx.raw<{ rows: { agentId: string }[] }>(beginStatement, { habits: JSON.stringify(habits) })
  return new Set(rows.map(({ agentId }) => agentId))
}

const lockStatement = `
  select ${habitColumns} from delivery_habits h
   where h.agent_id = any(:agentIds::uuid[]) order by h.agent_id for no key update`

const given = `
  json_to_recordset(:habits::json) as b ("agentId" uuid, "firstAt" timestamptz, "lastAt" timestamptz, deliveries bigint,
    "seenSequence" bigint, gaps json, "quietSeconds" integer, "dueAt" timestamptz, "silentSince" timestamptz)`

const storeStatement = `
  update delivery_habits h
     set first_at = b."firstAt", last_at = b."lastAt", deliveries = b.deliveries, seen_sequence = b."seenSequence",
         gaps = b.gaps, quiet_seconds = b."quietSeconds", due_at = b."dueAt", silent_since = b."silentSince"
    from ${given} where h.agent_id = b."agentId"`

const beginStatement = `
  insert into delivery_habits
      (agent_id, first_at, last_at, deliveries, seen_sequence, gaps, quiet_seconds, due_at, silent_since)
    select a.id, b."firstAt", b."lastAt", b.deliveries, b."seenSequence", b.gaps, b."quietSeconds", b."dueAt", b."silentSince"
      from ${given} join agents a on a.id = b."agentId"
     where a.deleted_at is null
     order by a.id for key share of a
  on conflict (agent_id) do nothing
  returning agent_id as "agentId"`
