import { systemOwnerId } from '../../../src/owners/system-owner.ts'
import type { SealedServices } from './sealed-services.ts'

/** How many accounts and workspaces are read; the order is random. */
const mostOwners = 200
/** Of each owner: agents and runs that are explained, and runs whose timeline is read. */
const mostAgents = 10
const mostRuns = 3
const pageSize = 20

/** What was read, and what failed, a sentence each. */
export interface Reading {
  owners: number
  ownersInAll: number
  counted: Record<'agents' | 'runs' | 'timelines' | 'explanations' | 'list entries', number>
  problems: string[]
}

/** Reads the copy as owners do: lists, timelines and explanations of a bounded sample. */
export async function readEverything(services: SealedServices): Promise<Reading> {
  const { database } = services
  const everyone = () => database('owners').whereNot('id', systemOwnerId)
  const owners = await everyone().select('id').orderByRaw('random()').limit(mostOwners)
  const [inAll] = await everyone().count('* as count')
  const counted = { agents: 0, runs: 0, timelines: 0, explanations: 0, 'list entries': 0 }
  const reading: Reading = { owners: owners.length, ownersInAll: Number(inAll?.['count']), counted, problems: [] }
  for (const { id } of owners as { id: string }[]) await readOwner(services, id, reading)
  return reading
}

async function readOwner(services: SealedServices, ownerId: string, reading: Reading): Promise<void> {
  const { agents, runs, why } = services
  const { counted } = reading
  /** The result, or undefined after noting why there is none. */
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      reading.problems.push(`Reading ${what} of ${ownerId} failed: ${(error as Error).message}`)
      return undefined
    }
  }
  const request = { limit: pageSize }
  const lists: Record<string, () => Promise<{ items: unknown[] }>> = {
    notifications: () => services.notifications.list(ownerId, request),
    sites: () => services.vault.list(ownerId, request),
    sessions: () => services.sessions.list(ownerId, request),
    approvals: () => services.approvals.list(ownerId, request),
    'audit entries': () => services.audit.list(ownerId, request),
    'the ledger': () => services.billing.credits.ledger(ownerId, request),
  }
  for (const [name, list] of Object.entries(lists)) {
    counted['list entries'] += (await attempt(name, list))?.items.length ?? 0
  }
  const foundAgents = await attempt('agents', () => agents.list(ownerId, request))
  for (const agent of foundAgents?.items.slice(0, mostAgents) ?? []) {
    counted.agents += 1
    if (await attempt(`why agent ${agent.id}`, () => why.ofAgent(agent))) counted.explanations += 1
  }
  const foundRuns = await attempt('runs', () => runs.reading.list(ownerId, request))
  for (const run of foundRuns?.items.slice(0, mostRuns) ?? []) {
    counted.runs += 1
    if (await attempt(`the timeline of run ${run.id}`, () => runs.reading.timeline(run, 0, 100))) counted.timelines += 1
    if (await attempt(`why run ${run.id}`, () => why.ofRun(run))) counted.explanations += 1
  }
}
