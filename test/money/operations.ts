import { randomUUID } from 'node:crypto'
import * as adminClock from '../../api/admin-clock.ts'
import * as adminCredits from '../../api/admin-credits.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as agents from '../../api/agents.ts'
import * as billing from '../../api/billing.ts'
import * as chat from '../../api/chat.ts'
import * as payments from '../../api/payments.ts'
import * as runs from '../../api/runs.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call, type Answer } from '../helpers/client.ts'
import { agentOf, customer, deliver, webhookAgent, type Person } from '../helpers/people.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { userIdOf } from '../helpers/workspaces.ts'
import type { Chance } from './chance.ts'

/** An account with what costs credits. */
export interface Payer {
  someone: Person
  userId: string
  workspaceId: string
  manual: { id: string }[]
  webhook: { id: string; webhookSecret: string }[]
  session: { token: string }
  /** The keys of purchases, with how many credits each asks for. */
  keys: Map<string, number>
  runIds: string[]
}

const scripts = ['[[say done]]', '[[call nothing {}]] [[then]] [[say done]]'] as const
const day = 86_400

/** An account in the team tier, with agents of its own and of a workspace. */
export async function makePayer(url: string): Promise<Payer> {
  const someone = await customer({ url }, 'team')
  const { body: workspace } = await call(someone, workspaces.createWorkspace, { body: { name: 'Together' } })
  const workspaceId = workspace.id
  const own = scripts.map((systemPrompt) => agentOf(someone, { systemPrompt }))
  const common = agentOf(someone, { systemPrompt: scripts[1], workspaceId })
  const hooks = [{}, { workspaceId }].map((owner) => webhookAgent(someone, { systemPrompt: scripts[0], ...owner }))
  return {
    someone,
    userId: await userIdOf(someone),
    workspaceId,
    manual: await Promise.all([...own, common]),
    webhook: await Promise.all(hooks),
    session: await sessionOf(someone),
    keys: new Map(),
    runIds: [],
  }
}

type Operation = (payer: Payer, random: Chance, boss: Person) => Promise<Answer<unknown>[]>

/** Notes the run that was started, if one was. */
function noted(payer: Payer, answer: Answer<{ id?: string; runId?: string }>): Answer<unknown>[] {
  const id = answer.status < 400 ? (answer.body.id ?? answer.body.runId) : undefined
  if (id !== undefined) payer.runIds.push(id)
  return [answer]
}

const cap = (random: Chance): number | null => random.of([null, null, random.whole(1, 40)])

/** What is done at random; what comes up more often stands there more often. */
export const operations = {
  async start(payer, random) {
    const { id: agentId } = random.of(payer.manual as [{ id: string }])
    return noted(payer, await call(payer.someone, agentRuns.startRun, { params: { agentId } }))
  },

  async deliver(payer, random) {
    const agent = random.of(payer.webhook as [Payer['webhook'][number]])
    const payload = { text: 'word '.repeat(random.of([1, 1, 20_000])) }
    return noted(payer, await deliver(payer.someone, agent, payload))
  },

  async chat({ someone, session }) {
    const message = { id: randomUUID(), role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hello.' }] }
    const headers = { ...withToken(session), accept: 'application/json' }
    return [await call({ url: someone.url }, chat.sendChatMessage, { headers, body: { messages: [message] } })]
  },

  /** Half of the purchases are sent twice, at once. */
  async buy({ someone, keys }, random) {
    const credits = random.whole(1, 5) * 100
    const key = random.of([randomUUID(), ...keys.keys()] as [string])
    const body = { credits: keys.get(key) ?? credits }
    keys.set(key, body.credits)
    const send = () => call(someone, payments.buyCredits, { headers: { 'Idempotency-Key': key }, body })
    return Promise.all(Array.from({ length: random.whole(1, 2) }, send))
  },

  async subscribe({ someone }, random) {
    const tier = random.of(['pro', 'team', 'team', 'enterprise'])
    const when = random.of(['now', 'period_end'] as const)
    return [await call(someone, billing.subscribe, { body: { tier, when } })]
  },

  async cancel({ someone }, random) {
    const when = random.of(['period_end', 'period_end', 'now'] as const)
    return [await call(someone, billing.cancelSubscription, { query: { when } })]
  },

  async card({ someone }, random) {
    const paymentMethod = random.of(['pm_card_visa', 'pm_card_visa', 'pm_card_chargeCustomerFail'])
    const { items } = (await call(someone, billing.listPaymentMethods)).body
    const answer = await call(someone, billing.addPaymentMethod, { body: { paymentMethod } })
    for (const { id } of items) await call(someone, billing.removePaymentMethod, { params: { paymentMethodId: id } })
    return [answer]
  },

  async cap({ someone, manual, workspaceId }, random) {
    const { id: agentId } = random.of(manual as [{ id: string }])
    const body = { creditsPerMonth: cap(random) }
    const changes = {
      agent: () => call(someone, agents.updateAgent, { params: { agentId }, body }),
      workspace: () => call(someone, workspaces.updateWorkspace, { params: { workspaceId }, body }),
      account: () => call(someone, billing.updateBilling, { body }),
    }
    return [await changes[random.of(['agent', 'workspace', 'account'] as const)]()]
  },

  async topUp({ someone }, random) {
    const body = {
      enabled: random.of([true, true, false]),
      below: random.whole(1, 300),
      credits: 200,
      centsPerMonth: 2000,
    }
    return [await call(someone, payments.setTopUp, { body })]
  },

  async give({ userId }, random, boss) {
    const expiresAt = random.of([undefined, new Date(Date.now() + random.whole(1, 60) * day * 1000).toISOString()])
    const body = { credits: random.whole(1, 300), note: 'A test.', ...(expiresAt !== undefined && { expiresAt }) }
    const headers = { 'Idempotency-Key': randomUUID() }
    return [await call(boss, adminCredits.giveCredits, { params: { userId }, headers, body })]
  },

  async advance({ userId }, random, boss) {
    const body = { seconds: random.whole(1, 20 * day) }
    return [await call(boss, adminClock.advanceClock, { params: { userId }, body })]
  },

  async stop({ someone, runIds }, random) {
    if (runIds.length === 0) return []
    return [await call(someone, runs.cancelRun, { params: { runId: random.of(runIds as [string]) } })]
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations

/** So often of a hundred. */
const weights: Record<OperationName, number> = {
  start: 20,
  deliver: 22,
  chat: 18,
  buy: 8,
  subscribe: 5,
  cancel: 3,
  card: 4,
  cap: 6,
  topUp: 3,
  give: 3,
  advance: 3,
  stop: 5,
}

const drawn = Object.entries(weights).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name as OperationName),
) as [OperationName]

export const draw = (random: Chance): OperationName => random.of(drawn)
