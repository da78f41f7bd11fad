import type { Database, Transaction } from '../../database/database.ts'
import type { ToolCall } from '../../tools/tool-call.ts'

/**
 * In SQL, of a call `c` of a run: its agent may not use the tool any more, because the owner has changed the agent's
 * sites or tools since the call was planned. A vault entry that was deleted is another matter: then the site is gone.
 */
export const toolIsTaken = `
  exists (select 1 from vault_entries e where e.id = c.vault_entry_id)
  and not exists (
    select 1 from runs r join agent_sites s on s.agent_id = r.agent_id
     where r.id = c.run_id and s.vault_entry_id = c.vault_entry_id
       and (s.tools is null or s.tools::jsonb @> to_jsonb(c.tool)))`

const taken = "The tool cannot be called any more: the agent's owner has taken it, or its site, from the agent."
const takenInDoubt =
  "An attempt before ended without a usable answer, and the tool was not called again: the agent's owner has taken it, or its site, from the agent."

/** How a call ends that is not sent any more. */
export interface LastWord {
  status: 'failed' | 'unknown'
  note: string
}

/** How the call ends if its tool was taken from the agent: what an agent may do is bounded when a call is sent. */
export async function lastWordOnTaken(
  db: Database | Transaction,
  call: Pick<ToolCall, 'id' | 'inDoubt' | 'status' | 'effect'>,
): Promise<LastWord | undefined> {
  const { rows } = await db.raw<{ rows: unknown[] }>(isTakenStatement, { callId: call.id })
  if (rows.length === 0) return undefined
  const isInDoubt = call.inDoubt || call.status === 'started'
  if (!isInDoubt) return { status: 'failed', note: taken }
  return { status: call.effect === 'read' ? 'failed' : 'unknown', note: takenInDoubt }
}

const isTakenStatement = `select 1 from tool_calls c where c.id = :callId and ${toolIsTaken}`
