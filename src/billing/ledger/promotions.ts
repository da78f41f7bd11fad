import type { Clock } from '../../clock.ts'
import { violatedConstraint, type Database } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import { isId, newId } from '../../ids.ts'
import { User } from '../../users/user.ts'
import type { Credits } from '../credits.ts'
import { timeOf } from '../account-status.ts'
import { CreditGrant, usualPriority } from './credit-grant.ts'

interface Promotion {
  credits: number
  /** By the account's clock. */
  expiresAt: Date | null
  priority: number | undefined
  note: string
}

/** Credits that operators give to users. */
export function createPromotions(context: {
  database: Database
  clock: Clock
  credits: Pick<Credits, 'grant' | 'locked'>
}) {
  const { database, clock, credits } = context

  const earlier = async (ownerId: string, requestKey: string | undefined): Promise<CreditGrant | undefined> =>
    requestKey === undefined ? undefined : CreditGrant.query(database).findOne({ ownerId, requestKey })

  const make = (ownerId: string, given: Promotion, requestKey: string | undefined): Promise<CreditGrant> =>
    database.transaction(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      assertFuture(given.expiresAt, timeOf(account, clock.now()))
      const named = requestKey === undefined ? {} : { requestKey }
      const grantId = newId()
      await credits.grant(trx, ownerId, { kind: 'promotion', ...given, ...named, grantId })
      return CreditGrant.query(trx).findById([ownerId, grantId]).throwIfNotFound()
    })

  return {
    /**
     * Gives credits to a user, once per key. NOT_FOUND (the user), VALIDATION_ERROR (already expired, or the key was
     * used for other credits).
     */
    async give(userId: string, given: Promotion, requestKey: string | undefined): Promise<CreditGrant> {
      const user = isId(userId) && (await User.query(database).findById(userId).select('id'))
      assertThat(user, 'NOT_FOUND', { message: 'There is no user with this id.' })
      const before = await earlier(userId, requestKey)
      if (before) return assertSame(before, given)
      try {
        return await make(userId, given, requestKey)
      } catch (error) {
        if (violatedConstraint(error) !== 'credit_grants_request_unique') throw error
        return assertSame((await earlier(userId, requestKey)) as CreditGrant, given)
      }
    },
  }
}

function assertFuture(expiresAt: Date | null, now: Date): void {
  const message = 'These credits would already have expired. Set a later time.'
  assertThat(expiresAt === null || expiresAt > now, 'VALIDATION_ERROR', {
    message,
    details: [{ path: 'expiresAt', message }],
  })
}

function assertSame(before: CreditGrant, { credits, expiresAt, priority, note }: Promotion): CreditGrant {
  const isSame =
    before.credits === credits &&
    Number(before.expiresAt) === Number(expiresAt) &&
    before.priority === (priority ?? usualPriority.promotion) &&
    before.note === note
  const message = 'This idempotency key has been used for different credits. Use a new key.'
  assertThat(isSame, 'VALIDATION_ERROR', { message, details: [{ path: 'Idempotency-Key', message }] })
  return before
}
