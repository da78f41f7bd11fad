import type { Advice } from '../why/actions.ts'

/** Everything that can need a person. The order decides between items that are otherwise equally urgent. */
export const needKinds = {
  approval: 'A tool call needs approval',
  blocked: 'Runs of an agent are waiting for something that a person must do',
  credential: 'A site must be reconnected, now or soon',
  failing: "An agent's runs keep failing",
  silent: "An agent's usual deliveries did not arrive",
  model: 'An AI model that agents use is unavailable',
} as const satisfies Record<string, string>

/** What blocks the runs of an agent. */
export const blockCauses = ['paused', 'credential', 'credits', 'tier', 'past_due'] as const
export type BlockCause = (typeof blockCauses)[number]

export type NeedKind = keyof typeof needKinds

const kindOrder = Object.keys(needKinds) as NeedKind[]

/** One thing that needs a person, in words and in parts. A part is null if it does not apply or is unknown. */
export interface Need {
  kind: NeedKind
  /** Only of a blocked agent. */
  cause: BlockCause | null
  since: Date | null
  /** When it gets worse: an approval expires, a credential ends, a run fails. */
  until: Date | null
  /** The situation, in a sentence or two. */
  message: string
  /** What the reader can do, in a sentence or two, with its cost. */
  action: Advice
  agentId: string | null
  agentName: string | null
  runId: string | null
  approvalId: string | null
  vaultEntryId: string | null
  /** The origin of the site concerned. */
  site: string | null
  model: string | null
  /** The number of runs, approvals or deliveries concerned. */
  count: number
}

type Parts = Pick<Need, 'kind' | 'message' | 'action' | 'count'> & Partial<Need>

/** A need. Missing parts are null. */
export const needOf = (parts: Parts): Need => ({
  cause: null,
  since: null,
  until: null,
  agentId: null,
  agentName: null,
  runId: null,
  approvalId: null,
  vaultEntryId: null,
  site: null,
  model: null,
  ...parts,
})

/** The most items of an answer. */
export const mostNeeds = 100

/**
 * The order of an answer: first what gets worse at a known time, the soonest first; then the rest, the longest waiting
 * first. Unknown beginnings come last. Ties follow the order of the kinds, and then of the ids.
 */
export const inOrder = (needs: readonly Need[]): Need[] => needs.toSorted(compare).slice(0, mostNeeds)

const compare = (one: Need, other: Need): number =>
  byTime(one.until, other.until) ||
  byTime(one.since, other.since) ||
  kindOrder.indexOf(one.kind) - kindOrder.indexOf(other.kind) ||
  idOf(one).localeCompare(idOf(other))

const byTime = (one: Date | null, other: Date | null): number =>
  one && other ? one.getTime() - other.getTime() : Number(one === null) - Number(other === null)

const idOf = ({ approvalId, vaultEntryId, agentId, model }: Need): string =>
  [approvalId, vaultEntryId, agentId, model].join(' ')

/** A number of things in words: `1 run`, `3 runs`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`
