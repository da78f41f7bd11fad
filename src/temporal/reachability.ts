import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Temporal } from './temporal.ts'

const freshMs = 2000

/** How long health checks wait for a check, in milliseconds. Load balancers give up on them after a second. */
const briefMs = 500

/** Two failed checks at most this far apart, in milliseconds, count as one outage. */
const sameOutageMs = 30_000

export interface Reachability {
  reachable: boolean
  /** If it does not: since when this process has known. */
  since: Date | null
}

/**
 * Whether Temporal is reachable, for frequent callers: at most one check at a time, and its result is kept for two
 * seconds. A check takes at most two seconds, the deadline of `isReachable`.
 */
export function createReachability(context: { temporal: Pick<Temporal, 'isReachable'>; clock: Clock }) {
  const { temporal, clock } = context
  let known: { at: number; answer: Promise<Reachability> } | undefined
  let awaySince: Date | null = null
  let latest: Reachability | undefined
  let checkedAt = clock.now()

  async function check(): Promise<Reachability> {
    const began = clock.now()
    const reachable = await temporal.isReachable()
    // After a long pause between checks, Temporal may have recovered in the meantime.
    const isSameOutage = awaySince !== null && began.getTime() - checkedAt.getTime() < sameOutageMs
    awaySince = reachable ? null : isSameOutage ? awaySince : began
    checkedAt = began
    if (known) known.at = performance.now()
    latest = { reachable, since: awaySince }
    return latest
  }

  function look(): Promise<Reachability> {
    // A check in progress counts as fresh until it ends.
    if (!known || performance.now() - known.at > freshMs) known = { at: Infinity, answer: check() }
    return known.answer
  }

  return {
    look,

    /** The same within half a second: if the check takes longer, the result of the one before. */
    async glance(): Promise<Reachability> {
      const brief = new AbortController()
      const answer = look()
      const late = delay(briefMs, undefined, { signal: brief.signal }).catch(() => undefined)
      const found = (await Promise.race([answer, late])) ?? latest ?? (await answer)
      brief.abort()
      return found
    },
  }
}

export type ReachabilityOfTemporal = ReturnType<typeof createReachability>
