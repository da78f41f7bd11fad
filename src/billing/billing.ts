import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { boundsOf } from '../owners/months.ts'
import type { Due } from '../runs/due.ts'
import { createCredits } from './credits.ts'
import type { Gateway } from './gateways/gateway.ts'
import { createLook } from './look.ts'
import { createPaymentMethods } from './payment-methods.ts'
import { createPayments } from './payments.ts'
import { createPurchases } from './purchases.ts'
import { createRequests } from './requests.ts'
import { standingOf, type Standing } from './standing.ts'
import { createStoredBytes } from './stored-bytes.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTopUpFailures } from './top-up-failures.ts'
import { createTopUps } from './top-ups.ts'

/** What owners may do and have paid for: tier, subscription and credits. */
export function createBilling(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays' | 'centsPerHundredCredits'>
  gateway: Gateway
  due: Due
  notifications: Pick<Notifications, 'notify'>
}) {
  const credits = createCredits(context)
  const payments = createPayments({ ...context, credits, topUpFailures: createTopUpFailures(context) })
  const look = createLook({ ...context, credits, payments })
  const parts = { ...context, credits, payments, look }
  const paymentMethods = createPaymentMethods(parts)
  const requests = createRequests(parts)
  const purchases = createPurchases({ ...parts, paymentMethods })

  return {
    /** The owner's standing; one query. The first call of a month also makes the month's grant. */
    async account(ownerId: string, trx?: Transaction): Promise<Standing> {
      const account = await credits.current(ownerId, trx)
      const now = context.clock.now()
      if (account.ownerId === ownerId) return standingOf(account, now)
      return standingOf(account, now, { ownerId, ...(await boundsOf(trx ?? context.database, ownerId, now)) })
    },

    credits,
    look,
    payments,
    paymentMethods,
    purchases,
    requests,
    storedBytes: createStoredBytes(context),
    subscriptions: createSubscriptions({ ...parts, paymentMethods, requests }),
    topUps: createTopUps({ ...parts, paymentMethods, purchases }),
  }
}

export type Billing = ReturnType<typeof createBilling>
