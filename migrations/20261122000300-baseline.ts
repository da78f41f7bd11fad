import type { Knex } from 'knex'
import { agents } from './baseline/agents.ts'
import { billing } from './baseline/billing.ts'
import { messages } from './baseline/messages.ts'
import { people } from './baseline/people.ts'
import { processes } from './baseline/processes.ts'
import { runs } from './baseline/runs.ts'
import { schedules } from './baseline/schedules.ts'
import { timelines } from './baseline/timelines.ts'
import { toolCalls } from './baseline/tool-calls.ts'
import { types } from './baseline/types.ts'
import { vault } from './baseline/vault.ts'

/** The whole schema, in the order in which tables refer to each other. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [
    types,
    people,
    billing,
    vault,
    agents,
    runs,
    timelines,
    toolCalls,
    schedules,
    messages,
    processes,
  ]) {
    await knex.raw(part)
  }
  await knex.raw(`select ensure_run_partitions(now(), now() + interval '14 days')`)
}

/** There is nothing before it. */
export function down(): Promise<void> {
  throw new Error('The baseline cannot be rolled back: everything would be deleted. Drop the database instead.')
}
