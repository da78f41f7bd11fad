import type { CallToolResult, ClientCapabilities, InputRequiredResult, Tool } from '@modelcontextprotocol/server'

/** What a client asks of a tool. */
export interface ToolCall {
  args: Record<string, unknown>
  /** The client's key for this call. A call that is repeated under the same key has no second effect. */
  idempotencyKey: string | undefined
  /** What the client can do; empty before the revision of 2026-07-28. */
  capabilities: ClientCapabilities
  /** What the tool wanted to get back, and the answers to what it asked. */
  state: unknown
  answers: Record<string, unknown> | undefined
  /** Aborts when the client has gone. */
  gone: AbortSignal
}

/** A handle of a task (SEP-2663) in place of the result. The library wants each result to have `content`. */
export type TaskHandle = CallToolResult & { resultType: 'task'; taskId: string }

export type CallTool = (call: ToolCall) => Promise<CallToolResult | InputRequiredResult>

/** A tool in the list, with its place there. */
export interface OfferedTool {
  name: string
  place: Place
  describe: () => Omit<Tool, 'name'>
}

/**
 * A place in the list: first the tools that read, then those of the agents and of the sites, the newest first. Those of a
 * site are in the order of their names.
 */
export interface Place {
  section: 'reading' | 'agents' | 'sites'
  /** The id of the agent or the site; empty for tools that read. */
  id: string
  name: string
}
