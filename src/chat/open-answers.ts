import type { AccountStatus } from '../billing/account-status.ts'
import { assertThat } from '../errors.ts'
import { createCommon } from '../shares/shares.ts'

/** Seconds after which an attempt may succeed. */
const retryAfter = 5

/**
 * How many answers of each owner are under way or wait for their turn at this process, whether somebody reads them as a
 * stream, whole, or not at all. Each takes memory and looks at the record all the time, and each may spend credits that
 * the others spend, too: hence a limit, the one for streams.
 */
export function createOpenAnswers() {
  const open = createCommon(Infinity)

  return {
    /** Adds one, and returns the function that removes it. Fails with RATE_LIMITED at the limit of the tier. */
    enter(ownerId: string, { tier, limits: { openStreams } }: Pick<AccountStatus, 'tier' | 'limits'>): () => void {
      const count = open.holds(ownerId)
      const message = `You have ${count} answers in progress on this server, which is the limit ${tier === null ? 'for this platform' : `for the ${tier} tier`}. Wait for one to finish.`
      assertThat(count < openStreams, 'RATE_LIMITED', { message, retryAfter })
      open.take(ownerId)
      return () => open.release(ownerId)
    },
  }
}
