import { randomBytes } from 'node:crypto'
import { send } from '../tour/client.ts'

/** The access token of a new account that may connect as many sites as it likes. */
export async function newAccount(api: string): Promise<string> {
  const id = randomBytes(4).toString('hex')
  const credentials = { email: `mcp-${id}@example.com`, password: `a long password ${id}` }
  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({ method: 'POST', url: `${api}${path}`, headers, ...(body !== undefined && { body }) })
  await post('/auth/register', credentials)
  const { accessToken } = await post('/auth/login', credentials)
  const headers = { Authorization: `Bearer ${String(accessToken)}` }
  await post('/auth/accept-terms', undefined, headers)
  await post('/billing/payment-methods', { paymentMethod: 'pm_card_visa' }, headers)
  await post('/billing/subscription', { tier: 'enterprise' }, headers)
  return String(accessToken)
}
