import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Server } from '@modelcontextprotocol/server'
import type { ExecutionContext } from 'ava'

/** Servers that pass the tools of one program on, which speaks the protocol over its standard input and output. */
export async function bridgeTo(t: ExecutionContext, args: string[], env: Record<string, string> = {}) {
  const client = new Client({ name: 'bridge', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  t.teardown(() => client.close())
  return (): Server => {
    const server = new Server({ name: 'bridge', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => client.listTools())
    server.setRequestHandler('tools/call', ({ params }) => client.callTool(params))
    return server
  }
}
