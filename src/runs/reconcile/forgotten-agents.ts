import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { dueBatch } from '../due.ts'
import { contradictions } from './queue-consistency.ts'

/**
 * Agents that should be due but are not: they have unfinished runs and no row in `due_agents`, or a queue row that
 * contradicts their runs. Only manual changes of the database cause this.
 */
export function createForgotten({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Makes some of them due now. */
    async mark(): Promise<void> {
      await database.raw(markStatement, { now: clock.now(), dueBatch })
    },
  }
}

const markStatement = `
  insert into due_agents (agent_id, due_at)
    select agent_id, :now::timestamptz from (
      select "agentId" as agent_id from (${contradictions()}) contradicting
       where not exists (select from due_agents d where d.agent_id = "agentId" and d.due_at <= :now)
      union
      select agent_id from agent_queues q
       where unfinished > 0 and not exists (select from due_agents d where d.agent_id = q.agent_id)
    ) forgotten
   limit :dueBatch`
