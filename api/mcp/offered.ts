import type { CallToolResult, ClientCapabilities, InputRequiredResult, Tool } from '@modelcontextprotocol/server'
import type { McpScope } from './authenticate.ts'

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

/** A tool that the caller may use. */
export interface OfferedTool {
  name: string
  /** What the client must be allowed to do. */
  scope: McpScope
  describe: () => Omit<Tool, 'name'>
  call: (call: ToolCall) => Promise<CallToolResult | InputRequiredResult>
}
