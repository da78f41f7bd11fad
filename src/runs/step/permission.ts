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

/** SQL condition on such a call: its tool may be called only once somebody has approved the call. */
const toolAsksFirst = `
  exists (
    select 1 from runs r join agent_sites s on s.agent_id = r.agent_id
     where r.id = c.run_id and s.vault_entry_id = c.vault_entry_id and s.ask_first::jsonb @> to_jsonb(c.tool))`

type Sendable = Pick<ToolCall, 'id' | 'runId' | 'inDoubt' | 'status' | 'effect'>

/** What the record says about whether a call may be sent. */
export interface Permission {
  removed: boolean
  asksFirst: boolean
  /** Somebody was asked to approve it. */
  asked: boolean
  /** Its site is not in the vault any more. */
  gone: boolean
}

/** Reads it at the moment of sending, because permission is checked then. */
export async function permissionOf(db: Database | Transaction, call: Sendable): Promise<Permission> {
  const bindings = { runId: call.runId, callId: call.id }
  const { rows } = await db.raw<{ rows: Permission[] }>(permissionStatement, bindings)
  return rows[0] ?? { removed: false, asksFirst: false, asked: false, gone: false }
}

const permissionStatement = `
  select (${toolIsRemoved}) as removed, (${toolAsksFirst}) as "asksFirst",
         exists (select 1 from approvals a where a.call_id = c.id) as asked,
         not exists (select 1 from vault_entries e where e.id = c.vault_entry_id) as gone
    from run_tool_calls c where c.run_id = :runId and c.id = :callId`

const unasked =
  'The call was not made: its tool needs the approval of the owner since this call was planned. Make the call again to ask for it.'

/** The ending of a call that its agent may not make any more, or not without an approval. */
export function endingWithout({ removed: isRemoved, asksFirst, asked }: Permission, call: Sendable) {
  if (isRemoved) return unsent(call, removed, removedInDoubt)
  return asksFirst && !asked && call.status === 'planned' ? unsent(call, unasked) : undefined
}

/** The ending of a call that is not sent, or not again. */
export function unsent(call: Sendable, note: string, noteInDoubt = note): CallEnding {
  const isInDoubt = call.inDoubt || call.status === 'started'
  if (!isInDoubt) return { status: 'failed', note }
  return { status: call.effect === 'read' ? 'failed' : 'unknown', note: noteInDoubt }
}
