import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadEnvFile } from '../../src/config/environment.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { askSite, tokenOfSite } from '../local/ask-site.ts'
import type { Addresses } from '../local/stack.ts'
import type { Json, send } from './client.ts'

/** The job of the tour: a webhook delivers a post, and an agent files an issue about it. */

type Send = typeof send

/** The example payload (docs/specification.md, "Webhook payload"). */
const payload = {
  event: 'post.created',
  post_id: 4711,
  author: 'Ada Lovelace',
  title: 'The export hangs at 99 %',
  content: 'Since this morning every export stops at 99 % and never ends.',
  category: 'bug',
  created_at: '2026-11-21T09:00:00.000Z',
}

const payloadSchema = [
  { name: 'event', type: 'string' },
  { name: 'post_id', type: 'number' },
  { name: 'author', type: 'string' },
  { name: 'title', type: 'string' },
  { name: 'content', type: 'string' },
  { name: 'category', type: 'string' },
  { name: 'created_at', type: 'string' },
]

/** The addresses of the running `npm start`. */
export function readAddresses(): Addresses {
  loadEnvFile()
  const file = join(resolve(readLocalConfig().DATA_DIR), 'addresses.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Addresses
  } catch {
    throw new Error('Switchyard is not running. Start it in another terminal with: npm start')
  }
}

/** Opens an account that may have webhook agents. Returns its access token. */
export async function openAccount(api: string, purpose: string, via: Send): Promise<string> {
  const id = randomBytes(4).toString('hex')
  const credentials = { email: `${purpose}-${id}@example.com`, password: `a long password ${id}` }
  await via({ method: 'POST', url: `${api}/auth/register`, body: credentials })
  const { accessToken } = await via({ method: 'POST', url: `${api}/auth/login`, body: credentials })
  const token = String(accessToken)
  await via({ method: 'POST', url: `${api}/auth/accept-terms`, token })
  // Without payments, every account has every feature.
  if ((await via({ method: 'GET', url: `${api}/billing`, token }))['billing'] !== 'off')
    await payForWebhooks(api, token, via)
  return token
}

async function payForWebhooks(api: string, token: string, via: Send): Promise<void> {
  const paymentMethod = 'pm_card_visa'
  await via({ method: 'POST', url: `${api}/billing/payment-methods`, token, body: { paymentMethod } })
  await via({ method: 'POST', url: `${api}/billing/subscription`, token, body: { tier: 'pro' } })
}

/** Connects the issue tracker with a token from its user. Returns the id of the vault entry. */
export async function connectIssueTracker(addresses: Addresses, token: string, via: Send): Promise<string> {
  const { api, sites } = addresses
  const url = sites[0] ?? ''
  const siteToken = await tokenOfSite(addresses)
  await via({ method: 'POST', url: `${api}/vault/inspect`, token, body: { url } })
  const entry = await via({ method: 'POST', url: `${api}/vault`, token, body: { url, token: siteToken } })
  return String(entry['id'])
}

/** Creates the agent of the tour, by default with the platform's default model. */
export function createTourAgent(
  api: string,
  token: string,
  { vaultEntryId, model }: { vaultEntryId: string; model?: string },
  via: Send,
): Promise<Json> {
  const body = {
    name: `Triage ${new Date().toISOString()}`,
    systemPrompt: 'File an issue for every post that reports a bug. Look for similar issues first.',
    trigger: 'webhook',
    webhookSchema: payloadSchema,
    sites: [{ vaultEntryId, tools: ['search_issues', 'issues.createIssue'] }],
    ...(model !== undefined && { model }),
  }
  return via({ method: 'POST', url: `${api}/agents`, token, body })
}

/** Delivers the post to the agent, as a sender without an account. Returns the receipt. */
export function deliverPost(agent: Json, via: Send): Promise<Json> {
  const headers = { 'x-webhook-secret': String(agent['webhookSecret']), 'idempotency-key': 'post-4711' }
  return via({ method: 'POST', url: String(agent['webhookUrl']), headers, body: payload })
}

/** The calls of a run that the issue tracker logged. */
export async function callsAtTracker({ sites, siteCaFile }: Addresses, runId: string): Promise<{ tool: string }[]> {
  const log = await askSite(siteCaFile, { method: 'GET', url: `${sites[0] ?? ''}/log` })
  const requests = log['requests'] as { idempotencyKey?: string | null; tool: string }[]
  return requests.filter(({ idempotencyKey }) => idempotencyKey?.startsWith(runId))
}
