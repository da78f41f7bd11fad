import type { Size } from './size.ts'

/** What an agent is there for. */
export type Role =
  | 'biggest'
  | 'long queue'
  | 'paused queue'
  | 'short queue'
  | 'waiting'
  | 'running'
  | 'former'
  | 'scheduled'
  | 'ordinary'

/** An agent, and what its runs have added up to. */
export interface FilledAgent {
  number: number
  id: string
  ownerId: string
  owner: number
  role: Role
  trigger: 'webhook' | 'scheduled' | 'manual'
  /** All of its runs are alike, but for a few in the beginning. */
  isSteady: boolean
  hasCallbacks: boolean
  lastSequence: number
  unfinished: number
  runningRunId: string | null
}

const agentsPerOwner = 3
const formerNumber = 76
const scheduledNumber = 77

/** The agents by number; the first ones have something to do. */
function roleOf(number: number): Role {
  if (number === 0) return 'biggest'
  if (number < 4) return 'long queue'
  if (number < 6) return 'paused queue'
  if (number < 36) return 'short queue'
  if (number < 56) return 'waiting'
  if (number < 76) return 'running'
  if (number === formerNumber) return 'former'
  return number === scheduledNumber ? 'scheduled' : 'ordinary'
}

/** The first owner has little else than webhooks that complete, so that whatever else there is must be looked for. */
export function makeAgents({ owners }: Size, newId: (ms: number) => string, since: number): FilledAgent[] {
  const ownerIds = Array.from({ length: owners }, () => newId(since))
  return Array.from({ length: owners * agentsPerOwner }, (_, number) => {
    const owner = number % owners
    const role = roleOf(number)
    const isWebhook = owner === 0 || role !== 'ordinary' || number % 10 < 6
    return {
      number,
      id: newId(since),
      ownerId: ownerIds[owner] as string,
      owner,
      role,
      trigger: role === 'scheduled' ? role : isWebhook ? 'webhook' : number % 10 < 8 ? 'scheduled' : 'manual',
      isSteady: owner === 0,
      hasCallbacks: number % 8 === 0 || role === 'former',
      lastSequence: 0,
      unfinished: 0,
      runningRunId: null,
    }
  })
}

/**
 * Which agent gets the next run: one in twenty the biggest, one in a hundred the scheduled one, few many of the rest,
 * and many few. The former one got one in thirty of the first nine tenths and none since, so all its runs are older than
 * millions of others. `age`: from 0 to 1, the end.
 */
export function chooseAgent(agents: FilledAgent[], random: () => number, age: number): FilledAgent {
  const chance = random()
  if (chance < 0.05) return agents[0] as FilledAgent
  if (chance < 0.085 && age < 0.9) return agents[formerNumber] as FilledAgent
  if (chance > 0.99) return agents[scheduledNumber] as FilledAgent
  const number = 1 + Math.floor((agents.length - 1) * random() ** 2)
  return agents[number === formerNumber ? 1 : number] as FilledAgent
}
