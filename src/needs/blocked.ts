import { agentAccountStatus, type AccountStatus } from '../billing/account-status.ts'
import { quotedName } from '../names.ts'
import { chargesOf, isBlockBounded, type Charge } from '../runs/queue/blocked.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import { advise, type Advice } from '../why/actions.ts'
import { ongoing, utcTime } from '../why/cause.ts'
import { siteOf } from '../why/current-work.ts'
import { reconnection } from '../why/head-causes.ts'
import { pausedBecause, resumption } from '../why/paused.ts'
import { failsAt, situationOf } from '../why/queue-causes.ts'
import type { AgentState, FirstRun } from './agent-state.ts'
import { counted, needOf, type BlockCause, type Need } from './need.ts'

/** What the rules read besides the agents. */
export interface Around {
  standing: Pick<AccountStatus, 'balance' | 'cap' | 'features' | 'subscription' | 'isSuspended'>
  /** The owner's vault entries that must be reconnected, by origin. */
  disconnected: ReadonlyMap<string, Pick<VaultEntry, 'id' | 'name' | 'authType' | 'status' | 'statusReason'>>
  queueBlockedSeconds: number
}

/**
 * What a person must do before an agent's runs continue: one item per cause. A wait that ends automatically is none, and
 * approvals have their own items.
 */
export const blockedNeeds = (agent: AgentState, around: Around): Need[] => [
  ...paused(agent, around),
  ...waitsForSite(agent, around),
  ...waitsForCredits(agent, around),
  ...waitsForPayment(agent, around),
]

/** An agent that its owner paused is nobody's problem before it has runs. */
function paused(agent: AgentState, { standing }: Around): Need[] {
  const { pausedAt: since, pausedReason, unfinished, name } = agent
  if (!since || (unfinished === 0 && pausedReason === null)) return []
  const effect = unfinished === 0 ? 'it starts no runs' : `${counted(unfinished, 'run')} ${isOrAre(unfinished)} waiting`
  const message = `The agent ${quotedName(name)} ${ongoing('paused', since)}${pausedBecause(agent)}, so ${effect}.`
  return [blocked(agent, { cause: 'paused', since, message, action: resumption(agent, standing.isSuspended) })]
}

function waitsForSite(agent: AgentState, { disconnected }: Around): Need[] {
  const { first } = agent
  const entry = first?.waitingCause === 'credential' && disconnected.get(first.waitingFor ?? '')
  if (!first || !entry) return []
  const { waitingFor: site, waitingSince: since, waitingUntil: until } = first
  const what = `for ${siteOf({ entry, siteOrigin: site })} to be reconnected`
  const message = `${waiting(agent, what)}${endOf(first, until)}`
  const action = advise`${reconnection(entry)}.`
  return [blocked(agent, { cause: 'credential', since, until, site, vaultEntryId: entry.id, message, action })]
}

/** A begun run keeps its place while it waits for credits. */
function waitsForCredits(agent: AgentState, { standing }: Around): Need[] {
  const { first } = agent
  const { balance, cap } = agentAccountStatus(standing, agent)
  if (first?.waitingCause !== 'credits' || balance >= 1) return []
  const { message, action } = situationOf({ cap, agent }, 'credits')
  const { waitingSince: since, waitingUntil: until } = first
  const sentence = `${waiting(agent, `because ${message}`)}${endOf(first, until)}`
  return [blocked(agent, { cause: 'credits', since, until, message: sentence, action })]
}

/** The queue does not start its next run. A paused agent must be resumed first. */
function waitsForPayment(agent: AgentState, around: Around): Need[] {
  const { first, pausedAt } = agent
  if (first?.status !== 'queued' || pausedAt) return []
  return chargedTo(agent, around, first.trigger).map(({ charge, cap }) => {
    const since = agent.blockedCause === 'paused' ? null : agent.blockedSince
    const until = isBlockBounded(charge, cap) ? failsAt(first.acceptedAt, since, around) : null
    const { message, action } = situationOf({ cap, agent }, charge)
    const sentence = `${waiting(agent, `because ${message}`)}${endOf(first, until)}`
    return blocked(agent, { cause: charge, since, until, message: sentence, action })
  })
}

type Charged = { agent: AgentState; charge: Charge; cap: AccountStatus['cap'] }

function chargedTo(agent: AgentState, { standing }: Around, trigger = agent.trigger): Charged[] {
  const own = agentAccountStatus(standing, agent)
  return chargesOf(own, trigger).map((charge) => ({ agent, charge, cap: own.cap }))
}

/** Whether deliveries to the agent are rejected, because something is not paid. */
export const isCharged = (agent: AgentState, around: Around): boolean => chargedTo(agent, around).length > 0

/** What stops agents that have no runs: one item for all that the same payment concerns. */
export function stoppedNeeds(agents: readonly AgentState[], around: Around): Need[] {
  const ready = agents.filter(({ unfinished, pausedAt }) => unfinished === 0 && pausedAt === null)
  const charged = ready.flatMap((agent) => chargedTo(agent, around))
  const groups = Map.groupBy(charged, ({ agent, charge, cap }) => (cap === 'agent' ? agent.id : `${charge} ${cap}`))
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [stopped(first, others.length)] : []))
}

function stopped({ agent, charge, cap }: Charged, others: number): Need {
  const { stops, message, action } = situationOf({ cap, agent }, charge)
  const whose = others === 0 ? quotedName(agent.name) : counted(others + 1, 'agent')
  const sentence = `${stops} for ${whose} because ${message}.`
  const of = others === 0 ? { agentId: agent.id, agentName: agent.name } : {}
  return needOf({ kind: 'blocked', cause: charge, message: sentence, action, count: 0, ...of })
}

type Block = Partial<Need> & { cause: BlockCause; message: string; action: Advice }

const blocked = ({ id, name, unfinished, first }: AgentState, block: Block): Need =>
  needOf({ kind: 'blocked', agentId: id, agentName: name, runId: first?.id ?? null, count: unfinished, ...block })

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are')

const waiting = ({ name, unfinished }: AgentState, why: string): string =>
  `${counted(unfinished, 'run')} of ${quotedName(name)} ${isOrAre(unfinished)} waiting ${why}.`

const endOf = ({ sequence }: FirstRun, until: Date | null): string =>
  until ? ` Run ${sequence} will fail at ${utcTime(until)} unless this changes.` : ''
