import { Stripe } from 'stripe'

export interface StripeSettings {
  secretKey: string
  /** The address of the API; tests change it. */
  apiUrl: string
}

/**
 * The API version of requests and responses, whatever the account's default. It matches the pinned stripe-mock, which
 * validates our requests (docs/decisions/0065), so it is older than the package's types.
 */
const stripeVersion = '2026-08-26.dahlia'

/**
 * How often a request is retried after a lost response, a 409 or a 5xx. All attempts carry one idempotency key (the
 * package adds one to each POST), so Stripe performs the request once.
 */
const retries = 2

/** The timeout of one attempt, in milliseconds. Charges take seconds, because Stripe contacts banks. */
const timeoutMs = 15_000

/** Stripe's own client, without telemetry about this machine. */
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
