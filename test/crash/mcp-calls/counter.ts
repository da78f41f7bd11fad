import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server whose tool `increment` must run once for each id. It counts how many times it ran. */
export function createCounter() {
  const executions = new Map<string, number>()
  const words = (count: number) => ({ content: [{ type: 'text' as const, text: String(count) }] })
  const inputSchema = z.object({ id: z.string() })

  function make(): McpServer {
    const server = new McpServer({ name: 'counter', version: '1.0.0' })
    server.registerTool('increment', { description: 'Adds one.', inputSchema }, ({ id }) => {
      const count = (executions.get(id) ?? 0) + 1
      executions.set(id, count)
      return words(count)
    })
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

  return { make, take }
}
