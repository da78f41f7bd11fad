import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadEnvFile } from '../src/config/environment.ts'
import { readLocalConfig } from '../src/config/local-config.ts'
import type { Addresses } from './local/stack.ts'
import { ask, askSite, send, tokenOfSite, type Json } from './tour/client.ts'
import { inWords } from './tour/in-words.ts'

/**
 * The main use case as a client sees it, through public HTTP only: a webhook becomes a durable run of an agent, which
 * calls a tool of a connected site. Needs `npm start` in another terminal; safe to repeat.
 */

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

/** Enough for a slow machine; a tour takes a second or two. */
const timeoutMs = 60_000

async function tour(): Promise<void> {
  const addresses = readAddresses()
  const { api } = addresses
  chapter('1. An account that has accepted the terms and may have webhooks')
  const token = await openAccount(api)
  chapter('2. A site, connected with a token that its user generated there')
  const entryId = await connectSite(addresses, token)
  chapter('3. An agent that webhooks start')
  const agent = await createAgent(api, token, entryId)
  chapter('4. A delivery from a sender without an account')
  const receipt = await deliver(agent)
  chapter('5. The run, followed to its end')
  await follow(api, token, String(receipt['runId']))
  chapter('6. What the site itself logged')
  await showSiteLog(addresses, String(receipt['runId']))
  console.log(`\nThe run in the Temporal UI: ${addresses.temporalUi ?? '(no UI)'}/namespaces/default/workflows`)
}

function chapter(title: string): void {
  console.log(`\n━━ ${title}`)
}

function readAddresses(): Addresses {
  loadEnvFile()
  const file = join(resolve(readLocalConfig().DATA_DIR), 'addresses.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Addresses
  } catch {
    throw new Error('Switchyard is not running. Start it in another terminal with: npm start')
  }
}

async function openAccount(api: string): Promise<string> {
  const id = randomBytes(4).toString('hex')
  const credentials = { email: `tour-${id}@example.com`, password: `a long password ${id}` }
  await ask({ method: 'POST', url: `${api}/auth/register`, body: credentials })
  const { accessToken } = await ask({ method: 'POST', url: `${api}/auth/login`, body: credentials })
  const token = String(accessToken)
  await ask({ method: 'POST', url: `${api}/auth/accept-terms`, token })
  // Where there are no payments, everybody has every feature.
  if ((await ask({ method: 'GET', url: `${api}/billing`, token }))['billing'] !== 'off')
    await payForWebhooks(api, token)
  return token
}

async function payForWebhooks(api: string, token: string): Promise<void> {
  await ask({
    method: 'POST',
    url: `${api}/billing/payment-methods`,
    token,
    body: { paymentMethod: 'pm_card_visa' },
  })
  await ask({ method: 'POST', url: `${api}/billing/subscription`, token, body: { tier: 'pro' } })
}

async function connectSite(addresses: Addresses, token: string): Promise<string> {
  const { api, sites } = addresses
  const url = sites[0] ?? ''
  const siteToken = await tokenOfSite(addresses)
  console.log(`(ada generated a token on ${url}/settings)`)
  await ask({ method: 'POST', url: `${api}/vault/inspect`, token, body: { url } })
  const entry = await ask({ method: 'POST', url: `${api}/vault`, token, body: { url, token: siteToken } })
  return String(entry['id'])
}

function createAgent(api: string, token: string, vaultEntryId: string): Promise<Json> {
  const body = {
    name: `Triage ${new Date().toISOString()}`,
    systemPrompt: 'File an issue for every post that reports a bug. Look for similar issues first.',
    trigger: 'webhook',
    webhookSchema: payloadSchema,
    sites: [{ vaultEntryId, tools: ['search_issues', 'issues.createIssue'] }],
  }
  return ask({ method: 'POST', url: `${api}/agents`, token, body })
}

function deliver(agent: Json): Promise<Json> {
  const headers = { 'x-webhook-secret': String(agent['webhookSecret']), 'idempotency-key': 'post-4711' }
  return ask({ method: 'POST', url: String(agent['webhookUrl']), headers, body: payload })
}

async function follow(api: string, token: string, runId: string): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let seen = 0
  for (;;) {
    const events = await send({ method: 'GET', url: `${api}/runs/${runId}/events?after=${seen}`, token })
    for (const event of events['items'] as { number: number; kind: string; data: Json }[]) {
      seen = event.number
      console.log(inWords(event))
      if (event.kind === 'ended') return assertCompleted(event.data)
    }
    if (Date.now() > deadline) throw new Error('The run did not end in time. See .data/logs/worker.log.')
    await delay(200)
  }
}

function assertCompleted(data: Json): void {
  if (data['status'] !== 'completed') throw new Error(`The run ended as ${String(data['status'])}.`)
}

async function showSiteLog({ sites, siteCaFile }: Addresses, runId: string): Promise<void> {
  const log = await askSite(siteCaFile, { method: 'GET', url: `${sites[0] ?? ''}/log` })
  const requests = log['requests'] as { idempotencyKey?: string | null; tool: string }[]
  const ours = requests.filter(({ idempotencyKey }) => idempotencyKey?.startsWith(runId))
  for (const request of ours) console.log(JSON.stringify(request))
  if (!ours.some(({ tool }) => tool === 'issues.createIssue')) throw new Error('The site did not get the call.')
}

try {
  await tour()
  console.log('\nThat was the tour. Everything above went through public HTTP.')
} catch (error) {
  console.error(`\nThe tour stopped: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
