import { Stripe } from 'stripe'

export const webhookSecret = 'whsec_of_the_double'

/** How a delivery differs from a good one. */
export interface Delivered {
  /** Unix time in seconds, as it is signed. */
  timestamp: number
  /** Another one forges the signature. */
  secret?: string
  /** What is sent in place of what was signed. */
  body?: string
}

/** Delivers an event to the platform at a URL, signed by Stripe's own generator. Returns the status and the answer. */
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
