import { Account } from '../billing/account.ts'
import type { Credits } from '../billing/credits.ts'
import type { FitToLimits } from '../billing/fit-to-limits.ts'
import type { TierName } from '../billing/tiers.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Due } from '../runs/due.ts'
import { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import { endFlowsOf } from '../vault/oauth/oauth-flow.ts'

/** What an admin gives or sets; null takes it back, and what is absent stays. */
export interface Given {
  tier?: TierName | null | undefined
  limits?: Account['limits'] | undefined
}

/**
 * What operators do with accounts: they give tiers and limits, keep users out, and delete accounts. No admin can be kept out
 * or deleted: a command takes the role away first, so the last one cannot be locked out here.
 */
export function createAdminAccounts(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'billing'>
  logger: Logger
  credits: Pick<Credits, 'locked'>
  due: Due
  exceeding: Pick<FitToLimits, 'fit'>
  users: Pick<Users, 'closing'>
}) {
  const { database, clock, config, logger, credits, due, exceeding, users } = context

  /** NOT_FOUND. */
  async function lock(trx: Transaction, userId: string): Promise<User> {
    const user = isId(userId) ? await User.query(trx).findById(userId).forUpdate() : undefined
    assertThat(user, 'NOT_FOUND', { message: noUser })
    return user
  }

  function assertNoAdmin({ admin }: User): void {
    assertThat(!admin, 'PERMISSION_DENIED', { message: isAdmin })
  }

  /** What is to be fitted anew is, now and, if this process is killed, by the sweep. */
  async function change(userId: string, work: (trx: Transaction) => Promise<Partial<Account>>): Promise<void> {
    await database.transaction(async (trx) => {
      const changes = await work(trx)
      await credits.locked(userId, trx)
      await Account.query(trx)
        .findById(userId)
        .patch({ ...changes, fittedTier: null, lookAt: clock.now() })
      await due.owner(trx, userId)
    })
    await exceeding.fit(userId)
  }

  async function keepOut(trx: Transaction, user: User, reason: string | null): Promise<void> {
    const suspendedAt = user.suspendedAt ?? clock.now()
    await User.query(trx).findById(user.id).patch({ suspendedAt, suspensionReason: reason })
    // What the user has begun, and a browser would finish without a login.
    await endFlowsOf(trx, user.id, clock.now())
  }

  return {
    /** Gives a tier, or sets limits. NOT_FOUND (the user), VALIDATION_ERROR (a tier where there are none). */
    async give(userId: string, { tier, limits }: Given): Promise<void> {
      const message = 'This installation has no tiers (BILLING=off). Set "limits" instead.'
      const hasTiers = config.billing.mode !== 'off' || (tier ?? null) === null
      assertThat(hasTiers, 'VALIDATION_ERROR', { message, details: [{ path: 'tier', message }] })
      await change(userId, async (trx) => {
        await lock(trx, userId)
        return { ...(tier !== undefined && { givenTier: tier }), ...(limits !== undefined && { limits }) }
      })
    },

    /**
     * Keeps a user out until that is lifted: nobody acts as the user, the agents that the account pays for are paused, and
     * answers in progress stop. Those that wait for an approval wait until it is lifted. Nothing is deleted. Suspending again changes why. NOT_FOUND, PERMISSION_DENIED (an admin).
     */
    async suspend(userId: string, reason: string): Promise<void> {
      await change(userId, async (trx) => {
        const user = await lock(trx, userId)
        assertNoAdmin(user)
        await keepOut(trx, user, reason)
        return {}
      })
      logger.info({ userId }, 'user suspended')
    },

    /** Lets a user in again; what was paused by the suspension continues. NOT_FOUND, also if the user is not suspended. */
    async lift(userId: string): Promise<void> {
      await change(userId, async (trx) => {
        const { suspendedAt } = await lock(trx, userId)
        assertThat(suspendedAt !== null, 'NOT_FOUND', { message: 'This user is not suspended.' })
        await User.query(trx).findById(userId).patch({ suspendedAt: null, suspensionReason: null })
        return {}
      })
      logger.info({ userId }, 'user suspension lifted')
    },

    /**
     * Suspends a user, and marks the account for deletion after the time of grace, in which only an operator can restore it.
     * Safe to repeat. NOT_FOUND, PERMISSION_DENIED (an admin).
     */
    async remove(userId: string): Promise<void> {
      await change(userId, async (trx) => {
        const user = await lock(trx, userId)
        assertNoAdmin(user)
        await keepOut(trx, user, user.suspensionReason)
        await users.closing.markFor(trx, user)
        return {}
      })
      logger.info({ userId }, 'account deletion scheduled by an operator')
    },

    /** Takes the mark for deletion away; a suspension stays. Safe to repeat. NOT_FOUND, TOKEN_REVOKED once it is too late. */
    async restore(userId: string): Promise<void> {
      await database.transaction(async (trx) => users.closing.keep(trx, await lock(trx, userId)))
    },
  }
}

export const noUser = 'There is no user with this id.'
const isAdmin = 'Admins cannot be suspended or deleted. Remove the role first: npm run admin -- remove-admin <address>'
