import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import type { Chance } from '../money/chance.ts'
import { kinds, type AccountChange, type Kind } from './account-changes.ts'
import { agentChanges, type AgentChange } from './agent-changes.ts'
import type { Book, Group, Known } from './book.ts'

interface Changing {
  platform: Platform
  boss: Person
  book: Book
  random: Chance
  isOver: () => boolean
}

type Change = AccountChange & AgentChange

/** Changes a group's agents and its account at random, one change after the other, until it is over. */
export async function keepChanging({ isOver, ...rest }: Changing, group: Group, kind: Kind): Promise<void> {
  const { random } = rest
  while (!isOver()) {
    const agent = random.of(group.agents as [Known])
    const change: Change = { ...rest, group, agent }
    const ofAccount = random.whole(1, 5) === 1
    const choices: readonly ((change: Change) => Promise<unknown>)[] = ofAccount ? kinds[kind] : agentChanges
    await choices[random.whole(0, choices.length - 1)]?.(change)
    await delay(random.whole(50, 400))
  }
}
