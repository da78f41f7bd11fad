import type { Database, Transaction } from '../../database/database.ts'
import type { ToolCall } from '../../tools/tool-call.ts'

/**
 * SQL condition on a call `c` of a run: the owner has removed the tool or its site from the agent since the call was
 * planned. A deleted vault entry does not count: then the site itself is gone.
 */
export const toolIsRemoved = `
  exists (select 1 from vault_entries e where e.id = c.vault_entry_id)
  and not exists (
    select 1 from runs r join agent_sites s on s.agent_id = r.agent_id
     where r.id = c.run_id and s.vault_entry_id = c.vault_entry_id
       and (s.tools is null or s.tools::jsonb @> to_jsonb(c.tool)))`

const removed = "The tool can no longer be called: the agent's owner removed it, or its site, from the agent."
const removedInDoubt =
  "An earlier attempt ended without a usable answer, and the tool was not called again: the agent's owner removed it, or its site, from the agent."

/** The ending of a call that is not sent any more. */
export interface CallEnding {
  status: 'failed' | 'unknown'
  note: string
}

/** The ending of a call whose tool was removed from the agent: permission is checked when a call is sent. */
export async function endingIfRemoved(
  db: Database | Transaction,
  call: Pick<ToolCall, 'id' | 'runId' | 'inDoubt' | 'status' | 'effect'>,
): Promise<CallEnding | undefined> {
  const { rows } = await db.raw<{ rows: unknown[] }>(isRemovedStatement, { runId: call.runId, callId: call.id })
  if (rows.length === 0) return undefined
  const isInDoubt = call.inDoubt || call.status === 'started'
  if (!isInDoubt) return { status: 'failed', note: removed }
  return { status: call.effect === 'read' ? 'failed' : 'unknown', note: removedInDoubt }
}

const isRemovedStatement = `select 1 from run_tool_calls c where c.run_id = :runId and c.id = :callId and ${toolIsRemoved}`
