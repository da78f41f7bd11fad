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

/** Settings of an account by an admin. null clears a setting; an absent one stays. */
export interface Given {
  tier?: TierName | null | undefined
  limits?: Account['limits'] | undefined
}

/**
 * What operators do with accounts: give tiers and limits, suspend users, delete accounts. Admins cannot be suspended or
 * deleted here, so the last admin cannot be locked out. A command must first remove the admin role.
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

  /** Fails with NOT_FOUND. */
  async function lock(trx: Transaction, userId: string): Promise<User> {
    const user = isId(userId) ? await User.query(trx).findById(userId).forUpdate() : undefined
    assertThat(user, 'NOT_FOUND', { message: noUser })
    return user
  }

  function assertNoAdmin({ admin }: User): void {
    assertThat(!admin, 'PERMISSION_DENIED', { message: isAdmin })
  }

  /** Changes an account and fits it to its limits. If this process is killed, the sweep fits it. */
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
    // Ends flows that the user has started and that a browser could finish without a login.
    await endFlowsOf(trx, user.id, clock.now())
  }

  return {
    /** Gives a tier or sets limits. NOT_FOUND (the user), VALIDATION_ERROR (the installation has no tiers). */
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
     * Suspends a user until an admin lifts the suspension: the user cannot act, agents that the account pays for pause,
     * and answers in progress stop. Answers that wait for an approval keep waiting. Nothing is deleted. Suspending
     * again updates the reason. NOT_FOUND, PERMISSION_DENIED (an admin).
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

    /** Lifts the suspension; paused work continues. NOT_FOUND, also if the user is not suspended. */
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
     * Suspends a user and marks the account for deletion after the grace period. Until then, only an operator can
     * restore it. Safe to repeat. NOT_FOUND, PERMISSION_DENIED (an admin).
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

    /**
     * Removes the mark for deletion. A suspension stays. Safe to repeat. NOT_FOUND, TOKEN_REVOKED once it is too late.
     */
    async restore(userId: string): Promise<void> {
      await database.transaction(async (trx) => users.closing.keep(trx, await lock(trx, userId)))
    },
  }
}

export const noUser = 'There is no user with this id.'
const isAdmin = 'Admins cannot be suspended or deleted. Remove the role first: npm run admin -- remove-admin <address>'
