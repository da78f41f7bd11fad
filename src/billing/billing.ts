import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Due } from '../runs/due.ts'
import { createCredits } from './credits.ts'
import type { Gateway } from './gateway.ts'
import { createPaymentMethods } from './payment-methods.ts'
import { createStoredBytes } from './stored-bytes.ts'
import { boundsOf } from '../owners/months.ts'
import { standingOf, type Standing } from './standing.ts'
import { createSubscriptions } from './subscriptions.ts'

/** What owners may do and have paid for: tier, subscription and credits. */
export function createBilling(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  gateway: Gateway
  due: Due
}) {
  const credits = createCredits(context)
  const paymentMethods = createPaymentMethods({ ...context, credits })

  return {
    /** The owner's standing; one query. The first call of a month also makes the month's grant. */
    async account(ownerId: string, trx?: Transaction): Promise<Standing> {
      const account = await credits.current(ownerId, trx)
      const now = context.clock.now()
      if (account.ownerId === ownerId) return standingOf(account, now)
      return standingOf(account, now, { ownerId, ...(await boundsOf(trx ?? context.database, ownerId, now)) })
    },

    credits,
    paymentMethods,
    storedBytes: createStoredBytes(context),
    subscriptions: createSubscriptions({ ...context, credits, paymentMethods }),
  }
}

export type Billing = ReturnType<typeof createBilling>
