import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Outage } from '../outages/outage.ts'
import { createTurns } from '../threads/turns.ts'
import type { Vault } from '../vault/vault.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { AgentState } from './agent-state.ts'
import { approvalNeed, type PendingApproval } from './approvals.ts'
import { blockedNeeds, isCharged, stoppedNeeds, type Around } from './blocked.ts'
import { credentialNeeds } from './credentials.ts'
import { failingNeeds, type Ending } from './failing.ts'
import { modelNeeds } from './models.ts'
import { inOrder, type Need } from './need.ts'
import { readAgents, readDeliveries, readEndings } from './read-agents.ts'
import { readApprovals, readDay, readEntries, readOutages } from './read-owner.ts'
import { silentNeeds, type Deliveries } from './silence.ts'
import { usualPerDay } from './usual-credits.ts'

/** Reads everything as of one moment. */
const snapshot = { isolationLevel: 'repeatable read', readOnly: true } as const

/** The record of an owner. */
interface Recorded {
  agents: AgentState[]
  endings: Map<string, Ending[]>
  deliveries: Map<string, Deliveries>
  approvals: { oldest: PendingApproval[]; pending: number }
  entries: VaultEntry[]
  outages: Outage[]
}

/** What needs a person in an account or a workspace, and how much is going on. */
export function createNeeds(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets' | 'models' | 'queueBlockedSeconds'>
  billing: Pick<Billing, 'account' | 'usage'>
  vault: { refresh: Pick<Vault['refresh'], 'isRefreshable'> }
}) {
  const { database, clock, config, billing, vault } = context
  const { queueBlockedSeconds, budgets } = config
  /** An owner with very many agents must not use the connections of others. */
  const turns = createTurns(Infinity, { each: 1 })

  async function answer(trx: Transaction, asked: Asked) {
    const { ownerId, kind, now } = asked
    const { recorded, around } = await read(trx, asked)
    const { agents, approvals } = recorded
    return {
      items: itemsOf(recorded, around, now),
      approvals: { pending: approvals.pending, oldestRequestedAt: approvals.oldest[0]?.requestedAt ?? null },
      credits: await creditsOf(trx, kind, ownerId),
      runs: { ...unfinishedOf(agents), ...(await readDay(trx, ownerId, now)) },
    }
  }

  async function read(trx: Transaction, { ownerId, standing, now }: Asked) {
    const agents = await readAgents(trx, ownerId, now)
    const working = agents.filter(({ pausedAt, lastSequence }) => pausedAt === null && lastSequence > 0)
    const endings = await readEndings(trx, working, now)
    const entries = await readEntries(trx, ownerId, now)
    const around = { standing, disconnected: disconnectedIn(entries), queueBlockedSeconds }
    const listening = working.filter((agent) => isListening(agent) && !isCharged(agent, around))
    const deliveries = await readDeliveries(trx, listening, now)
    const approvals = await readApprovals(trx, ownerId, now)
    const outages = await readOutages(trx)
    return { recorded: { agents, endings, deliveries, approvals, entries, outages }, around }
  }

  function itemsOf({ agents, endings, deliveries, approvals, entries, outages }: Recorded, around: Around, now: Date) {
    const settings = { now, budgets, defaultModel: config.models.default }
    return inOrder([
      ...agents.flatMap((agent) => [
        ...blockedNeeds(agent, around),
        ...failingNeeds(agent, endings.get(agent.id) ?? []),
        ...silentOnes(agent, deliveries.get(agent.id)),
      ]),
      ...stoppedNeeds(agents, around),
      ...approvals.oldest.map(approvalNeed),
      ...entries.flatMap((entry) => credentialNeeds(credentialOf(entry), agents, now)),
      ...outages.flatMap((outage) => modelNeeds(outage, agents, settings)),
    ])
  }

  const credentialOf = (entry: VaultEntry) => ({ entry, isRefreshable: vault.refresh.isRefreshable(entry) })

  /** By the payer's clock. An account counts everything that it pays for. */
  async function creditsOf(trx: Transaction, kind: OwnerKind, ownerId: string) {
    const { used: thisMonth, cap: monthlyCap } = await billing.usage.of(kind, ownerId, trx)
    const days = await billing.usage.daysOf(kind, ownerId, trx)
    return { today: days.at(-1) ?? 0, usualPerDay: usualPerDay(days.slice(0, -1)), thisMonth, monthlyCap }
  }

  return {
    /** Most urgent first, at most a hundred items. `kind` says where the owner's usage is counted. */
    async of(ownerId: string, kind: OwnerKind) {
      // The first read in a month grants the month's credits, which is a write.
      const standing = await billing.account(ownerId)
      return turns.take(ownerId, () =>
        database.transaction((trx) => answer(trx, { ownerId, kind, standing, now: clock.now() }), snapshot),
      )
    },
  }
}

type OwnerKind = 'accounts' | 'workspaces'

interface Asked {
  ownerId: string
  kind: OwnerKind
  standing: Around['standing']
  now: Date
}

/** Whether the agent is ready for deliveries and has none left. */
const isListening = ({ trigger, unfinished }: AgentState): boolean => trigger === 'webhook' && unfinished === 0

const silentOnes = (agent: AgentState, deliveries: Deliveries | undefined): Need[] =>
  deliveries ? silentNeeds(agent, deliveries) : []

const disconnectedIn = (entries: readonly VaultEntry[]): Around['disconnected'] =>
  new Map(entries.flatMap((entry) => (entry.status === 'needs_reauth' ? [[entry.origin, entry] as const] : [])))

/** Every agent has at most one begun run. The others are queued. */
function unfinishedOf(agents: readonly AgentState[]) {
  const countOf = (status: string) => agents.filter(({ first }) => first?.status === status).length
  const [running, waiting] = [countOf('running'), countOf('waiting')]
  const all = agents.reduce((sum, { unfinished }) => sum + unfinished, 0)
  return { running, waiting, queued: all - running - waiting }
}
