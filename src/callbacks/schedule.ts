/** Seconds from the end of one attempt to the next, by how many there were; the last goes on. */
export const delays: readonly number[] = [10, 30, 60, 300, 900, 1800, 3600]

/** The longest that a receiver's own Retry-After is heeded, in seconds. */
const longestWait = 3600

/** A callback after an attempt that did not succeed. */
interface Undelivered {
  /** Attempts so far, this one included. */
  tries: number
  /** When this one ended. */
  now: Date
  giveUpAt: Date
  /** In seconds, as the receiver wants it. */
  retryAfter?: number | undefined
  /** The receiver says that it wants no more of this. */
  gone?: boolean
}

/**
 * When a callback is tried next; undefined if it is given up. The last attempt is due when the time is up, so that a
 * receiver has all of it to come back; `createGiveUp` sees to those whose turn does not come then.
 */
export function nextAttempt({ tries, now, giveUpAt, retryAfter = 0, gone = false }: Undelivered): Date | undefined {
  if (gone || now >= giveUpAt) return undefined
  const usual = delays[Math.min(tries, delays.length) - 1] ?? longestWait
  const seconds = Math.max(usual, Math.min(retryAfter, longestWait))
  return new Date(Math.min(now.getTime() + seconds * 1000, giveUpAt.getTime()))
}
