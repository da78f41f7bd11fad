/** How a task comes about: the server decides that (2026-07-28), or the client requests one (2025-11-25). */
export type TaskKind = 'offered' | 'requested'

const extension = 'io.modelcontextprotocol/tasks'

/** For how long a server is requested to keep a task and its result, in milliseconds. */
const ttl = 24 * 60 * 60 * 1000

/** The tasks that a server has for calls of tools; undefined for none. */
export function tasksOf(capabilities: Capabilities | undefined, isModern: boolean): TaskKind | undefined {
  if (isModern) return capabilities?.extensions?.[extension] ? 'offered' : undefined
  return capabilities?.tasks?.requests?.tools?.call ? 'requested' : undefined
}

interface Capabilities {
  extensions?: Record<string, unknown> | undefined
  tasks?: { requests?: { tools?: { call?: unknown } | undefined } | undefined } | undefined
}

/** What a client says with each request about tasks, and with each call that may become one, since 2026-07-28. */
export const canHaveTasks = { extensions: { [extension]: {} } }

/** The member with which a call is requested as a task. A server refuses it for tools that cannot be one. */
export const asTask = { task: { ttl } }
