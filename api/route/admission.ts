import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../../src/rate-limit.ts'
import { isLarge } from '../../src/threads/large-bodies.ts'
import { createTurns } from '../../src/threads/turns.ts'
import { announcedBytes } from './body.ts'

/**
 * How many requests of users are checked at a time. A check is a few short queries. More of them at once are not done
 * sooner, because one event loop does the work, and a request that has its turn would wait behind all of them.
 */
const places = 2

/** How many requests with large bodies are checked besides. They come seldom, and would go first for that reason. */
const placesOfLarge = 1

/** A check that takes longer, as while Postgres hangs, leaves its place to others: all must not wait for all. */
const longestMs = 100

/** Of how many tokens the account is remembered. */
const remembered = 10_000

/**
 * Lets requests be checked in turns: of those that wait, the one goes first whose account was served longest ago. So a
 * user who sends a request now and then does not wait for those who flood the process, however many accounts and keys
 * they have. Tokens that were never good count by the client's network, as nobody has to pay for making them up.
 */
export function createAdmission() {
  const small = createTurns(places, { longestMs })
  const large = createTurns(placesOfLarge, { longestMs })
  const accounts = new LRUCache<string, string>({ max: remembered })

  return {
    /** Does the check when it is the turn of the one who sent the token; `check` returns the account, by its user. */
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
