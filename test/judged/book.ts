import type { Person } from '../helpers/people.ts'
import type { Answer } from '../helpers/client.ts'
import type { Span, Stretch } from './judgements.ts'
import { stateOf, type AccountFacts, type AgentFacts, type Owners } from './states.ts'

/** An agent, and what its senders know. */
export interface Known {
  id: string
  facts: AgentFacts
  /** Secrets that senders try, the newest first. During a rotation, it contains the next one already. */
  secrets: string[]
  /** Receives few deliveries, so that it is idle often enough to be moved. */
  isQuiet: boolean
  /** Receives many deliveries for a moment, because it is being moved. */
  isHot?: boolean
}

/** A paying account with agents of its own and of its workspace. Its changes are made one at a time. */
export interface Group extends Owners {
  someone: Person
  account: AccountFacts
  agents: Known[]
  /** How far an admin has advanced the account's clock, in milliseconds. */
  aheadMs: number
}

export const now = (): number => performance.now()

/** Writes down what is changed when, and the states that result for each agent. */
export function createBook() {
  const states = new Map<string, Stretch[]>()
  const tally = new Map<string, number>()
  let changes = 0

  function note({ userId, workspaceId, account, agents }: Group, { from, until }: Span): void {
    for (const { id, facts } of agents) {
      const state = stateOf({ userId, workspaceId }, account, facts)
      const stretches = states.get(id) ?? []
      const last = stretches.at(-1)
      states.set(id, stretches)
      if (last && JSON.stringify(last.state) === JSON.stringify(state)) continue
      if (last) last.until = until
      stretches.push({ state, from, until: Infinity })
    }
  }

  function count(what: string): void {
    tally.set(what, (tally.get(what) ?? 0) + 1)
  }

  return {
    states,
    /** How often each change was made or refused. */
    tally,
    changes: () => changes,

    /** Forgets how often changes were made, but not the states: the preparations are over. */
    startCounting(): void {
      tally.clear()
      changes = 0
    },

    /**
     * Makes a change and notes the states that it results in. Both the old and the new ones may be in force while it is
     * under way. A refused change changes nothing. Returns whether it was made.
     */
    async change<Body>(
      group: Group,
      what: string,
      send: () => Promise<Answer<Body>>,
      apply: (body: Body, span: Span) => void = () => {},
    ): Promise<boolean> {
      const from = now()
      const answer = await send()
      const span = { from, until: now() }
      if (answer.status >= 400) {
        count(`${what} ${answer.failure.code}`)
        return false
      }
      apply(answer.body, span)
      note(group, span)
      count(what)
      changes += 1
      return true
    },
  }
}

export type Book = ReturnType<typeof createBook>
