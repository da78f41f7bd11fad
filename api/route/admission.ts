import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../src/rate-limit.ts'
import { isLarge } from '../../src/threads/large-bodies.ts'
import { createTurns } from '../../src/threads/turns.ts'
import { announcedBytes } from './body.ts'

/**
 * How many requests of users are checked at a time. A check is a few short queries. More at the same time would not
 * finish sooner, because one event loop does the work, and an admitted request would wait behind all of them.
 */
const places = 2

/**
 * How many requests with large bodies are checked at a time. They are rare, so in a shared queue they would go first.
 */
const placesOfLarge = 1

/** A check that takes longer, for example because Postgres hangs, frees its place, so that it does not block others. */
const longestCheckMs = 100

/** How many tokens are remembered with their accounts. */
const remembered = 10_000

/**
 * Checks requests in turns. Of the waiting requests, the one whose account was served longest ago goes first. A user
 * who sends few requests therefore does not wait behind users who flood the process, even with many accounts and keys.
 * Tokens that were never valid count by the client's network, because anyone can make them up.
 */
export function createAdmission({ longestMs = longestCheckMs }: { longestMs?: number } = {}) {
  const small = createTurns(places, { longestMs })
  const large = createTurns(placesOfLarge, { longestMs })
  const accounts = new LRUCache<string, string>({ max: remembered })

  return {
    /** Runs the check when it is the sender's turn. `check` returns the account. */
    async admit<T extends { account: { userId: string } | undefined }>(
      ctx: Context,
      sent: string,
      check: () => Promise<T>,
    ): Promise<T> {
      const token = createHash('sha256').update(sent).digest('base64')
      const turns = isLarge(announcedBytes(ctx)) ? large : small
      const admitted = await turns.take(accounts.get(token) ?? networkOf(ctx.ip), check)
      if (admitted.account) accounts.set(token, admitted.account.userId)
      return admitted
    },
  }
}

export type Admission = ReturnType<typeof createAdmission>
