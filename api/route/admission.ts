import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { createTurns } from '../../src/threads/turns.ts'

/**
 * How many requests of users are checked at a time. A check is a few short queries; more of them at once would not be
 * done sooner, and a request that has its turn would wait behind all of them.
 */
const places = 4

/** A check that takes longer, as while Postgres hangs, leaves its place to others: all must not wait for all. */
const longestMs = 1000

/** Of how many tokens the account is remembered. */
const remembered = 10_000

/**
 * Lets requests be checked in turns: of those that wait, the one goes first whose account was served longest ago. So a
 * user who sends a request now and then does not wait for those who flood the process, however many accounts and keys
 * they have. Tokens that were never good count by the client's address, as nobody has to pay for making them up.
 */
export function createAdmission() {
  const turns = createTurns(places)
  const accounts = new Map<string, string>()

  return {
    /** Does the check when it is the caller's turn; `check` returns the account, by its user. */
    async admit<T extends { caller: { userId: string } | undefined }>(
      ctx: Context,
      check: () => Promise<T>,
    ): Promise<T> {
      const token = createHash('sha256').update(ctx.get('authorization')).digest('base64')
      let checked: Promise<T> | undefined
      await turns.take(accounts.get(token) ?? ctx.ip, () => settledOrSlow((checked = check())))
      const admitted = await (checked as unknown as Promise<T>)
      if (admitted.caller) remember(token, admitted.caller.userId)
      return admitted
    },
  }

  function remember(token: string, userId: string): void {
    accounts.delete(token)
    accounts.set(token, userId)
    const [oldest] = accounts.size > remembered ? accounts.keys() : []
    if (oldest !== undefined) accounts.delete(oldest)
  }
}

async function settledOrSlow(checked: Promise<unknown>): Promise<void> {
  const { promise: slow, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, longestMs)
  // Who asked learns of a failure.
  await Promise.race([checked.catch(() => undefined), slow])
  clearTimeout(timer)
}

export type Admission = ReturnType<typeof createAdmission>
