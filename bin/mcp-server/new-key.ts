import { send } from '../tour/client.ts'

/** An API key with all scopes. */
export async function newKey(api: string, token: string): Promise<string> {
  const { key } = await send({
    method: 'POST',
    url: `${api}/auth/api-keys`,
    headers: { Authorization: `Bearer ${token}` },
    body: { name: 'MCP client', scopes: ['read', 'write', 'decide'] },
  })
  return String(key)
}
