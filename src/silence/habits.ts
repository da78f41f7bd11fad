import type { Database, Transaction } from '../database/database.ts'
import type { Arrived, Habit } from './habit.ts'

/** Deliveries to record; null for a test, of which only the sequence is kept. */
export interface Noted {
  agentId: string
  arrived: Arrived | null
  sequence: number
}

/** SQL for the fields of a habit. */
export const habitColumns = `
  h.agent_id as "agentId", h.first_at as "firstAt", h.last_at as "lastAt", h.deliveries, h.seen_sequence as "seenSequence",
  h.gaps, h.quiet_seconds as "quietSeconds", h.due_at as "dueAt", h.silent_since as "silentSince"`

/** Locks the habits of these agents, in the order of their ids. Agents without deliveries have none. */
export async function lockHabits(trx: Transaction, agentIds: readonly string[]): Promise<Map<string, Habit>> {
  const { rows } = await trx.raw<{ rows: Habit[] }>(lockStatement, { agentIds })
  return new Map(rows.map((habit) => [habit.agentId, habit]))
}

/** Stores habits, except those of agents that have been deleted. */
export async function storeHabits(db: Database | Transaction, habits: readonly Habit[]): Promise<void> {
  if (habits.length > 0) await db.raw(storeStatement, { habits: JSON.stringify(habits) })
}

const lockStatement = `
  select ${habitColumns} from delivery_habits h
   where h.agent_id = any(:agentIds::uuid[]) order by h.agent_id for no key update`

const storeStatement = `
  insert into delivery_habits
      (agent_id, first_at, last_at, deliveries, seen_sequence, gaps, quiet_seconds, due_at, silent_since)
    select a.id, b."firstAt", b."lastAt", b.deliveries, b."seenSequence", b.gaps, b."quietSeconds", b."dueAt", b."silentSince"
      from json_to_recordset(:habits::json) as b ("agentId" uuid, "firstAt" timestamptz, "lastAt" timestamptz,
             deliveries bigint, "seenSequence" bigint, gaps json, "quietSeconds" integer, "dueAt" timestamptz,
             "silentSince" timestamptz)
      join agents a on a.id = b."agentId"
     where a.deleted_at is null
     order by a.id for key share of a
  on conflict (agent_id) do update set
    first_at = excluded.first_at, last_at = excluded.last_at, deliveries = excluded.deliveries,
    seen_sequence = excluded.seen_sequence, gaps = excluded.gaps, quiet_seconds = excluded.quiet_seconds,
    due_at = excluded.due_at, silent_since = excluded.silent_since`
