import type { Stripe } from 'stripe'
import type { Clock } from '../../../clock.ts'
import { CodedError } from '../../../errors.ts'
import type { RateLimits } from '../../../rate-limit.ts'

/** The oldest accepted delivery, in seconds, as in Stripe's own libraries. Stripe signs each attempt anew. */
const tolerance = 300

/** Verifies Stripe's signature over the time and the bytes of the body. */
export function createStripeWebhook(context: {
  stripe: Stripe
  secret: string
  clock: Clock
  rateLimits: Pick<RateLimits, 'webhookFailed'>
}) {
  const { stripe, secret, clock, rateLimits } = context

  return {
    /**
     * Returns the payload: an event, or anything else that Stripe signs. UNAUTHORIZED if it is forged or old;
     * RATE_LIMITED after too many of those from an address.
     */
    async verify({ body, signature, address }: Delivery): Promise<unknown> {
      const at = clock.now().getTime()
      try {
        stripe.webhooks.signature!.verifyHeader(body, signature, secret, tolerance, undefined, at)
        return JSON.parse(body.toString('utf8'))
      } catch {
        await rateLimits.webhookFailed(address)
        throw new CodedError('UNAUTHORIZED', { message, challenge: ['Webhook', 'header="Stripe-Signature"'] })
      }
    },
  }
}

interface Delivery {
  body: Buffer
  signature: string
  /** The sender's address; failures count by it. */
  address: string
}

const message = 'The Stripe-Signature header is missing, does not match the body, or is older than five minutes.'
