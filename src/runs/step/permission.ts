import type { Database, Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import type { Permission } from '../../loop/call-endings.ts'
import type { ToolCall } from '../../tools/tool-call.ts'

/**
 * SQL condition on a call `c` of a run: the owner has removed the tool or its site from the agent since the call was
 * planned. A deleted vault entry does not count: then the site itself is gone.
 */
export const toolIsRemoved = `
  exists (select 1 from vault_entries e where e.id = c.vault_entry_id)
  and not exists (
    select 1 from runs r join agent_sites s on s.agent_id = r.agent_id
     where r.id = c.subject_id and s.vault_entry_id = c.vault_entry_id
       and (s.tools is null or s.tools::jsonb @> to_jsonb(c.tool)))`

/** SQL condition on such a call: its tool may be called only once somebody has approved the call. */
const toolAsksFirst = `
  exists (
    select 1 from runs r join agent_sites s on s.agent_id = r.agent_id
     where r.id = c.subject_id and s.vault_entry_id = c.vault_entry_id and s.ask_first::jsonb @> to_jsonb(c.tool))`

/** Reads whether a call may be sent, at the moment of sending, because permission is checked then. */
export async function permissionOf(
  db: Database | Transaction,
  call: Pick<ToolCall, 'id' | 'subjectId'>,
): Promise<Permission> {
  const bindings = { runId: call.subjectId, callId: call.id }
  const { rows } = await permissionStatement(db, bindings)
  return rows[0] ?? { removed: false, asksFirst: false, gone: false }
}

const permissionStatement = statement<Permission>(`
  select (${toolIsRemoved}) as removed, (${toolAsksFirst}) as "asksFirst",
         not exists (select 1 from vault_entries e where e.id = c.vault_entry_id) as gone
    from tool_calls c where c.subject_id = :runId and c.id = :callId`)
