import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenOfSite } from '../local/ask-site.ts'
import type { Addresses } from '../local/stack.ts'
import { send, type Json } from '../tour/client.ts'

/** A caller, and values for path parameters by name. */
export interface Caller {
  headers: Record<string, string>
  parameters: Record<string, string>
}

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Json>

/** An account in the highest tier with one resource of each kind, so that requests find something. */
export async function makeOwner(addresses: Addresses): Promise<Caller> {
  const { api } = addresses
  const id = randomBytes(4).toString('hex')
  const credentials = { email: `fuzz-${id}@example.com`, password: `a long password ${id}` }
  await senderTo(api)('POST', '/auth/register', credentials)
  const token = await logIn(api, credentials)
  const ask = senderTo(api, bearer(token))
  await ask('POST', '/auth/accept-terms')
  const card = await ask('POST', '/billing/payment-methods', { paymentMethod: 'pm_card_visa' })
  await ask('POST', '/billing/subscription', { tier: 'enterprise' })
  const parameters = { paymentMethodId: String(card['id']), ...(await makeThings(addresses, ask)) }
  const { token: sessionToken, ...session } = await ask('POST', '/sessions', {})
  const headers = { ...bearer(token), 'X-Session-Token': String(sessionToken) }
  return { headers, parameters: { ...parameters, sessionId: String(session['id']) } }
}

/** The admin that `npm start` makes. Its first password is in the data folder. */
export async function signInAdmin({ api }: Addresses, folder: string): Promise<Caller> {
  const credentials: unknown = JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8'))
  const token = await logIn(api, credentials)
  await senderTo(api, bearer(token))('POST', '/auth/accept-terms')
  return { headers: bearer(token), parameters: { host: 'site.example' } }
}

async function makeThings(addresses: Addresses, ask: Send): Promise<Record<string, string>> {
  const entry = await ask('POST', '/vault', { url: addresses.sites[0], token: await tokenOfSite(addresses) })
  const agent = await ask('POST', '/agents', {
    name: 'Fuzzed',
    trigger: 'webhook',
    systemPrompt: 'Report.',
    sites: [{ vaultEntryId: entry['id'] }],
  })
  const secret = String(agent['webhookSecret'])
  const receipt = await ask('POST', `/api/webhooks/agent/${String(agent['id'])}`, {}, { 'X-Webhook-Secret': secret })
  const workspace = await ask('POST', '/workspaces', { name: 'Fuzzed' })
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
  (method, path, body, headers = {}) =>
    send({ method, url: `${api}${path}`, headers: { ...caller, ...headers }, body })

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

async function logIn(api: string, credentials: unknown): Promise<string> {
  const { accessToken } = await senderTo(api)('POST', '/auth/login', credentials)
  return String(accessToken)
}
