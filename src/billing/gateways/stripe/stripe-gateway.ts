import type { Clock } from '../../../clock.ts'
import type { Gateway } from '../gateway.ts'
import { createCustomers } from './customers.ts'
import { createStripeClient, type StripeSettings } from './client.ts'
import { createPrices } from './prices.ts'
import { createPurchases } from './purchases.ts'
import { createState } from './state.ts'
import { createSubscriptions } from './subscriptions.ts'

/**
 * Payments through Stripe. A request can be resent under its key and is performed once. Refused cards fail with
 * PAYMENT_FAILED; all else with INTERNAL_ERROR, which is retryable.
 */
export function createStripeGateway({ settings, clock }: { settings: StripeSettings; clock: Clock }) {
  const stripe = createStripeClient(settings)
  const customers = createCustomers(stripe)
  const prices = createPrices(stripe)
  const purchases = createPurchases({ stripe, customers, clock })
  const { customer, attach, detach, prefer, setup } = customers
  const gateway: Gateway = {
    name: 'stripe',
    customer,
    attach,
    detach,
    prefer,
    setup,
    pay: purchases.pay,
    ...createSubscriptions({ stripe, customers, prices, purchases }),
    ...createState({ stripe, prices, purchases, clock }),
  }
  return { gateway, stripe }
}
