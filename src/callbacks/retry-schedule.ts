/** Seconds from the end of an attempt to the next, by the number of attempts. The last value repeats. */
export const delays: readonly number[] = [10, 30, 60, 300, 900, 1800, 3600]

/** The longest Retry-After that is honored, in seconds. */
const longestWait = 3600

/** A callback after a failed attempt. */
interface Undelivered {
  /** Attempts so far, including this one. */
  tries: number
  now: Date
  giveUpAt: Date
  /** The receiver's Retry-After, in seconds. */
  retryAfter?: number | undefined
  /** The receiver wants no more attempts. */
  gone?: boolean
}

/**
 * The time of the next attempt; undefined to give up. The last attempt is due at the deadline, so the receiver has all
 * the time to recover. A separate round gives up those whose turn does not come.
 */
export function nextAttempt({ tries, now, giveUpAt, retryAfter = 0, gone = false }: Undelivered): Date | undefined {
  if (gone || now >= giveUpAt) return undefined
  const usual = delays[Math.min(tries, delays.length) - 1] ?? longestWait
  const seconds = Math.max(usual, Math.min(retryAfter, longestWait))
  return new Date(Math.min(now.getTime() + seconds * 1000, giveUpAt.getTime()))
}
