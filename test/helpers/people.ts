import { randomBytes } from 'node:crypto'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as runs from '../../api/runs.ts'
import * as runEvents from '../../api/run-events.ts'
import * as vault from '../../api/vault.ts'
import * as webhooks from '../../api/webhooks.ts'
import { call, type Client } from './client.ts'
import { userOfKind } from './user-copies.ts'
import { eventually } from './eventually.ts'
import type { Sites } from './sites.ts'

export interface Person extends Client {
  token: string
  email: string
  password: string
}

/** Registers a user who has not accepted the terms, by default with a random address. */
export async function newcomer({ url }: Client, email?: string): Promise<Person> {
  const name = randomBytes(6).toString('hex')
  const credentials = { email: email ?? `${name}@example.com`, password: `password of ${name}` }
  await call({ url }, auth.register, { body: credentials }).then((answer) => answer.body)
  const { body } = await call({ url }, auth.login, { body: credentials })
  return { url, token: body.accessToken, ...credentials }
}

/** A user on the free tier. */
export async function person(client: Client, email?: string): Promise<Person> {
  const make = async () => {
    const someone = await newcomer(client, email)
    await call(someone, auth.acceptTerms).then((answer) => answer.body)
    return someone
  }
  return email === undefined ? { url: client.url, ...(await userOfKind(client.url, 'person', make)) } : make()
}

/** A user on a paid tier, who may use webhooks. */
export async function customer(client: Client, tier = 'pro'): Promise<Person> {
  const make = async () => {
    const someone = await person(client)
    await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }).then((a) => a.body)
    await call(someone, billing.subscribe, { body: { tier } }).then((answer) => answer.body)
    return someone
  }
  return { url: client.url, ...(await userOfKind(client.url, tier, make)) }
}

/** Connects the issue tracker as its admin `ada`. Returns the id of the vault entry. */
export async function connectTracker(someone: Person, { tracker }: Pick<Sites, 'tracker'>): Promise<string> {
  const token = tracker.createToken('ada', 'admin')
  return (await call(someone, vault.addToVault, { body: { url: tracker.origin, token } })).body.id
}

/** Connects the bad-tools site. Returns the id of the vault entry. */
export async function connectBadTools(
  someone: Person,
  { badTools }: Pick<Sites, 'badTools'>,
  within: { workspaceId?: string } = {},
): Promise<string> {
  const body = { ...within, url: badTools.origin, token: 'any-token' }
  return (await call(someone, vault.addToVault, { body })).body.id
}

type AgentBody = NonNullable<
  NonNullable<Parameters<typeof call<'/agents', undefined, typeof agents.createAgent.body & {}, undefined>>[2]>['body']
>

/** Creates an agent, by default a manual one that answers immediately. */
export async function agentOf(someone: Person, fields: Partial<AgentBody> = {}) {
  const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const, ...fields }
  return (await call(someone, agents.createAgent, { body })).body
}

export async function webhookAgent(someone: Person, fields: Partial<AgentBody> = {}) {
  const agent = await agentOf(someone, { trigger: 'webhook', ...fields })
  return { ...agent, webhookSecret: agent.webhookSecret ?? '' }
}

export const deliver = (
  { url }: Client,
  agent: { id: string; webhookSecret: string },
  payload: unknown,
  headers: Record<string, string> = {},
) =>
  call({ url }, webhooks.receiveWebhook, {
    params: { agentId: agent.id },
    raw: JSON.stringify(payload),
    headers: { 'x-webhook-secret': agent.webhookSecret, ...headers },
  })

export const runOf = async (someone: Person, runId: string) =>
  (await call(someone, runs.getRun, { params: { runId } })).body

export const ended = (someone: Person, runId: string, seconds = 30) =>
  eventually(seconds, `the run ${runId} ends`, async () => {
    const run = await runOf(someone, runId)
    return run.endedAt === null ? undefined : run
  })

const pageAfter = async (someone: Person, runId: string, after: number) =>
  (await call(someone, runEvents.listEvents, { params: { runId }, query: { limit: '1000', after: String(after) } }))
    .body

/** The whole timeline of a run, over all pages. */
export async function timelineOf(someone: Person, runId: string) {
  const items: Awaited<ReturnType<typeof pageAfter>>['items'] = []
  for (let more = true; more;) {
    const page = await pageAfter(someone, runId, items.length)
    items.push(...page.items)
    more = page.more
  }
  return items
}
