import type { Client } from './client.ts'

const revision = '2026-07-28'

/** Sends one message of the current revision as it is, and returns the HTTP response with its JSON, if it is JSON. */
export async function mcpRpc(
  { url, token }: Client,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const name = params['name'] ?? params['taskId']
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': revision,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { ...meta, ...(params['_meta'] as object | undefined) } },
    }),
  })
  const text = await response.text()
  const body = text.startsWith('{') ? (JSON.parse(text) as Rpc) : undefined
  return { status: response.status, headers: response.headers, text, body }
}

interface Rpc {
  result?: Record<string, unknown>
  error?: { code: number; message: string }
  code?: string
}
