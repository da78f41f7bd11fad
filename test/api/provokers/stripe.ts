import type { ExecutionContext } from 'ava'
import { Stripe } from 'stripe'
import * as paymentSetup from '../../../api/payment-setup.ts'
import * as stripeWebhook from '../../../api/stripe-webhook.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { webhookSecret } from '../../helpers/stripe/deliveries.ts'
import { doubleKey } from '../../helpers/stripe/double.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

/** Nobody asks Stripe here, so there need not be any. */
const stripe = { STRIPE_SECRET_KEY: doubleKey, STRIPE_WEBHOOK_SECRET: webhookSecret }

const payload = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'invoice.paid',
  data: { object: { object: 'invoice' } },
})

export function stripeTable(t: ExecutionContext, { platform, owner, nobody }: Stage, { ask }: Recorder): Table {
  const { url: databaseUrl } = platform.config.database
  /** A delivery to a platform of Stripe over the same database. */
  const deliver = async ({ env = {}, headers = {}, secret = webhookSecret, times = 1 }: Delivery = {}) => {
    const shared = { DATABASE_URL: databaseUrl, BASE_URL: platform.url, ...stripe, ...env }
    const { url } = await startPlatform(t, { env: shared })
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
    const sent = { raw: payload, headers: { 'stripe-signature': signature, ...headers } }
    return repeat(times, () => ask({ url }, stripeWebhook.receiveStripeEvent, sent))
  }
  return {
    setUpPaymentMethod: { done: () => ask(owner, paymentSetup.setUpPaymentMethod) },
    receiveStripeEvent: {
      done: () => deliver(),
      NOT_FOUND: () => ask(nobody, stripeWebhook.receiveStripeEvent, { raw: payload }),
      UNAUTHORIZED: () => deliver({ secret: 'whsec_of_a_stranger' }),
      VALIDATION_ERROR: () => deliver({ headers: { 'content-type': 'text/plain' } }),
      RATE_LIMITED: () =>
        deliver({ secret: 'whsec_of_a_stranger', env: { RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '1' }, times: 3 }),
      INTERNAL_ERROR: () => deliver({ env: { DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none' } }),
    },
  }
}

interface Delivery {
  env?: Record<string, string>
  headers?: Record<string, string>
  secret?: string
  times?: number
}
