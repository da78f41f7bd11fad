/** Seconds from the end of one attempt to the next, by the number of attempts; the last repeats. */
export const delays: readonly number[] = [10, 30, 60, 300, 900, 1800, 3600]

/** The longest that a receiver's Retry-After is honoured, in seconds. */
const longestWait = 3600

/** A callback after an attempt that did not succeed. */
interface Undelivered {
  /** Attempts so far, this one included. */
  tries: number
  /** When this one ended. */
  now: Date
  giveUpAt: Date
  /** The receiver's Retry-After, in seconds. */
  retryAfter?: number | undefined
  /** The receiver wants no more of this. */
  gone?: boolean
}

/**
 * When a callback is tried next; undefined if it is given up. The last attempt is due when the time is up, so that the
 * receiver has all of it to recover; those whose turn does not come then are given up by a round of their own.
 */
export function nextAttempt({ tries, now, giveUpAt, retryAfter = 0, gone = false }: Undelivered): Date | undefined {
  if (gone || now >= giveUpAt) return undefined
  const usual = delays[Math.min(tries, delays.length) - 1] ?? longestWait
  const seconds = Math.max(usual, Math.min(retryAfter, longestWait))
  return new Date(Math.min(now.getTime() + seconds * 1000, giveUpAt.getTime()))
}
