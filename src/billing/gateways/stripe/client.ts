import { Stripe } from 'stripe'

export interface StripeSettings {
  secretKey: string
  /** Where the API is, if not at Stripe; for tests. */
  apiUrl: string
}

/**
 * The version of the API that requests and answers have, whatever the account's own is. It is that of the pinned
 * stripe-mock, which judges every request of ours (docs/decisions/0065), and so older than the package's types.
 */
const stripeVersion = '2026-08-26.dahlia'

/**
 * How often a request is sent again whose answer was lost, or was a 409 or a 5xx. All attempts carry one idempotency key
 * (the package makes one for a POST that has none), so Stripe performs the request once.
 */
const retries = 2

/** How long one attempt may take, in milliseconds. Charges take seconds, because banks are asked. */
const timeoutMs = 15_000

/** Stripe's own client. It sends nothing about this machine. */
export function createStripeClient({ secretKey, apiUrl }: StripeSettings): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl)
  const secure = protocol === 'https:'
  return new Stripe(secretKey, {
    apiVersion: stripeVersion as Stripe.LatestApiVersion,
    host: hostname,
    port: port || (secure ? 443 : 80),
    protocol: secure ? 'https' : 'http',
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    appInfo: { name: 'switchyard' },
  })
}
