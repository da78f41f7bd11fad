import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/**
 * Counts how many times each id ran: by a server whose tool `increment` must run once for each, and by others that share
 * the count.
 */
export function createCounter() {
  const executions = new Map<string, number>()
  const words = (number: number) => ({ content: [{ type: 'text' as const, text: String(number) }] })
  const inputSchema = z.object({ id: z.string() })

  function count(id: string): number {
    const next = (executions.get(id) ?? 0) + 1
    executions.set(id, next)
    return next
  }

  function make(): McpServer {
    const server = new McpServer({ name: 'counter', version: '1.0.0' })
    server.registerTool('increment', { description: 'Adds one.', inputSchema }, ({ id }) => words(count(id)))
    const annotations = { readOnlyHint: true }
    server.registerTool('read', { description: 'Tells the count.', inputSchema, annotations }, ({ id }) =>
      words(executions.get(id) ?? 0),
    )
    return server
  }

  /** How many times the tool ran for each id so far. The next client begins with nothing. */
  function take(): Map<string, number> {
    const taken = new Map(executions)
    executions.clear()
    return taken
  }

  return { make, count, take }
}
