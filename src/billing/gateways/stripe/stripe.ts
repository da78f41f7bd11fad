import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../database/database.ts'
import type { RateLimits } from '../../../rate-limit.ts'
import { createStripeEvents } from './events.ts'
import { createStripeGateway } from './stripe-gateway.ts'
import { createStripeWebhook } from './webhook.ts'

/** Stripe, if its key is configured: the gateway and its events. */
export function createStripe(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'stripe'>
  rateLimits: Pick<RateLimits, 'webhookFailed'>
}) {
  const { clock, config } = context
  if (!config.stripe) return undefined
  const { gateway, stripe } = createStripeGateway({ settings: config.stripe, clock })
  const webhook = createStripeWebhook({ ...context, stripe, secret: config.stripe.webhookSecret })
  return { gateway, webhook, events: createStripeEvents({ ...context, stripe }) }
}
