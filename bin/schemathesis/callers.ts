import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askSite, type Json } from '../tour/client.ts'
import type { Addresses } from '../local/stack.ts'

/** Who asks, and for which things: values of path parameters by name. */
export interface Caller {
  headers: Record<string, string>
  parameters: Record<string, string>
}

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Json>

/** An account in the highest tier with one of each, so that what is asked for is found. */
export async function makeOwner(addresses: Addresses): Promise<Caller> {
  const { api } = addresses
  const id = randomBytes(4).toString('hex')
  const credentials = { email: `fuzz-${id}@example.com`, password: `a long password ${id}` }
  await senderTo(api)('POST', '/auth/register', credentials)
  const token = await logIn(api, credentials)
  const send = senderTo(api, bearer(token))
  await send('POST', '/auth/accept-terms')
  const card = await send('POST', '/billing/payment-methods', { paymentMethod: 'pm_card_visa' })
  await send('POST', '/billing/subscription', { tier: 'enterprise' })
  const parameters = { paymentMethodId: String(card['id']), ...(await makeThings(addresses, send)) }
  const { token: sessionToken, ...session } = await send('POST', '/sessions', {})
  const headers = { ...bearer(token), 'X-Session-Token': String(sessionToken) }
  return { headers, parameters: { ...parameters, sessionId: String(session['id']) } }
}

/** The admin whom `npm start` makes; the first password is in the data folder. */
export async function signInAdmin({ api }: Addresses, folder: string): Promise<Caller> {
  const credentials: unknown = JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8'))
  const token = await logIn(api, credentials)
  await senderTo(api, bearer(token))('POST', '/auth/accept-terms')
  return { headers: bearer(token), parameters: { host: 'site.example' } }
}

async function makeThings({ sites, siteCaFile }: Addresses, send: Send): Promise<Record<string, string>> {
  const url = sites[0] ?? ''
  const body = { user: 'ada', role: 'editor' }
  const made = await askSite(siteCaFile, { method: 'POST', url: `${url}/settings/tokens`, body })
  const entry = await send('POST', '/vault', { url, token: made['token'] })
  const sitesOfAgent = [{ vaultEntryId: entry['id'] }]
  const agent = await send('POST', '/agents', {
    name: 'Fuzzed',
    trigger: 'webhook',
    systemPrompt: 'Report.',
    sites: sitesOfAgent,
  })
  const secret = String(agent['webhookSecret'])
  const receipt = await send('POST', `/api/webhooks/agent/${String(agent['id'])}`, {}, { 'X-Webhook-Secret': secret })
  const workspace = await send('POST', '/workspaces', { name: 'Fuzzed' })
  return {
    entryId: String(entry['id']),
    toolName: 'search_issues',
    agentId: String(agent['id']),
    runId: String(receipt['runId']),
    workspaceId: String(workspace['id']),
  }
}

/** Throws if the request is refused. */
const senderTo =
  (api: string, caller: Record<string, string> = {}): Send =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { ...caller, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Json
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${String(answer['error'])}`)
    return answer
  }

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

async function logIn(api: string, credentials: unknown): Promise<string> {
  const { accessToken } = await senderTo(api)('POST', '/auth/login', credentials)
  return String(accessToken)
}
