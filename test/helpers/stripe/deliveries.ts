import { Stripe } from 'stripe'

export const webhookSecret = 'whsec_of_the_double'

/** How a delivery differs from a correct one. */
export interface Delivered {
  /** The signed Unix time in seconds. */
  timestamp: number
  /** With another secret, the signature is forged. */
  secret?: string
  /** Sent instead of the signed body. */
  body?: string
}

/**
 * Delivers an event to the platform at a URL, signed by Stripe's own generator. Returns the status and the response.
 */
export async function deliver(url: string, event: object, { timestamp, secret = webhookSecret, body }: Delivered) {
  const payload = JSON.stringify(event)
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp, scheme: 'v1' })
  const answer = await fetch(`${url}/billing/stripe-webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': header },
    body: body ?? payload,
  })
  return { status: answer.status, answer: (await answer.json()) as { code?: string } }
}
