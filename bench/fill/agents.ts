import type { Size } from './size.ts'

/** The use of an agent. */
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

/** An agent, and the totals of its runs. */
export interface FilledAgent {
  number: number
  id: string
  ownerId: string
  owner: number
  role: Role
  trigger: 'webhook' | 'scheduled' | 'manual'
  /** All of its runs are alike, except for a few at the beginning. */
  isSteady: boolean
  hasCallbacks: boolean
  lastSequence: number
  unfinished: number
  runningRunId: string | null
}

const agentsPerOwner = 3
const formerNumber = 76
const scheduledNumber = 77

/** The role of an agent by its number. The first agents have special roles. */
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

/** The first owner has almost only completed webhook runs, so anything else of theirs is rare. */
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
 * The agent of the next run. One run in twenty goes to the biggest agent, one in a hundred to the scheduled one, many
 * to a few of the others, and few to the rest. The former agent gets one in thirty during the first nine tenths and
 * none later, so all its runs are older than millions of others. `age`: from 0 to 1, the end.
 */
export function chooseAgent(agents: FilledAgent[], random: () => number, age: number): FilledAgent {
  const chance = random()
  if (chance < 0.05) return agents[0] as FilledAgent
  if (chance < 0.085 && age < 0.9) return agents[formerNumber] as FilledAgent
  if (chance > 0.99) return agents[scheduledNumber] as FilledAgent
  const number = 1 + Math.floor((agents.length - 1) * random() ** 2)
  return agents[number === formerNumber ? 1 : number] as FilledAgent
}
