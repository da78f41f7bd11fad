import type { ExecutionContext } from 'ava'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as apiKeys from '../../api/api-keys.ts'
import { call } from './client.ts'
import type { Person } from './people.ts'

type KeyScope = 'read' | 'write' | 'decide'

/** A new API key of the person, in the workspace if one is given. */
export const keyOf = async (someone: Person, scopes: KeyScope[], within: { workspaceId?: string } = {}) =>
  (await call(someone, apiKeys.createApiKey, { body: { ...within, name: 'A client', scopes } })).body.key

type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>

/** The official client, connected to the platform's MCP server, of the current revision unless `mode` says otherwise. */
export async function mcpClient(
  t: ExecutionContext,
  { url, key, mode = { pin: '2026-07-28' }, ...options }: Options,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, ...options })
  const headers = { Authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  t.teardown(() => client.close())
  return client
}

interface Options extends Omit<ClientOptions, 'versionNegotiation'> {
  url: string
  key: string
  mode?: NonNullable<ClientOptions['versionNegotiation']>['mode']
}

/** The text of a result. */
export const textOf = (result: unknown): string =>
  (result as { content: { type: string; text?: string }[] }).content.map(({ text = '' }) => text).join('')

/** The JSON text of a result. */
export const jsonOf = (result: unknown) => JSON.parse(textOf(result)) as Record<string, unknown>
