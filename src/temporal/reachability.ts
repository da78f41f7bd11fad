import type { Clock } from '../clock.ts'
import type { Temporal } from './temporal.ts'

/** How long an answer stands for those who ask next, in milliseconds. */
const freshMs = 2000

/** Between two answers that are no further apart than this, in milliseconds, it was away all the time. */
const goesOnMs = 30_000

/** Whether Temporal answers this process. */
export interface Reachability {
  reachable: boolean
  /** Where it does not: since when that is known here. */
  since: Date | null
}

/**
 * Whether Temporal can be reached, for those who ask often: asked at most once at a time, and the answer kept for two
 * seconds. An answer takes two seconds at most, which is the deadline of `isReachable`.
 */
export function createReachability(context: { temporal: Pick<Temporal, 'isReachable'>; clock: Clock }) {
  const { temporal, clock } = context
  let known: { at: number; answer: Promise<Reachability> } | undefined
  let awaySince: Date | null = null
  let askedAt = clock.now()

  async function ask(): Promise<Reachability> {
    const began = clock.now()
    const reachable = await temporal.isReachable()
    // Nobody may have asked for a long time, in which it came back and went away again.
    const isKnown = awaySince !== null && began.getTime() - askedAt.getTime() < goesOnMs
    awaySince = reachable ? null : isKnown ? awaySince : began
    askedAt = began
    if (known) known.at = performance.now()
    return { reachable, since: awaySince }
  }

  return {
    look(): Promise<Reachability> {
      // A question under way counts as fresh for as long as it takes.
      if (!known || performance.now() - known.at > freshMs) known = { at: Infinity, answer: ask() }
      return known.answer
    },
  }
}

export type ReachabilityOfTemporal = ReturnType<typeof createReachability>
