import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Due } from '../runs/due.ts'
import { createCredits } from './credits.ts'
import type { Gateway } from './gateway.ts'
import { createPaymentMethods } from './payment-methods.ts'
import { createStoredBytes } from './stored-bytes.ts'
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
    /** The owner's standing; one query by primary key. The first call of a month also makes the month's grant. */
    account: async (ownerId: string, trx?: Transaction): Promise<Standing> =>
      standingOf(await credits.current(ownerId, trx), context.clock.now()),

    credits,
    paymentMethods,
    storedBytes: createStoredBytes(context),
    subscriptions: createSubscriptions({ ...context, credits, paymentMethods }),
  }
}

export type Billing = ReturnType<typeof createBilling>
