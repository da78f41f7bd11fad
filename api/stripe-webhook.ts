import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { field, freeObject, named } from './schemas/documented.ts'

const received = named(
  'StripeEventReceived',
  v.object({ received: field(v.literal(true), 'That it is noted') }),
  'The answer to a delivery of Stripe',
)
const event = freeObject('StripeEvent', 'An event of Stripe', {
  id: 'evt_1Nk8dH2eZvKYlo2C',
  object: 'event',
  type: 'invoice.paid',
  data: { object: { object: 'invoice', customer: 'cus_NffrFeUfNV2Hib' } },
})

/** NOT_FOUND where the sandbox stands in for Stripe. */
function stripeOf({ stripe }: Services) {
  assertThat(stripe, 'NOT_FOUND', { message: 'Payments are not made by Stripe here.' })
  return stripe
}

export const receiveStripeEvent = route({
  name: 'receiveStripeEvent',
  audit: { not: 'What follows from it is noted as the gateway tells it.' },
  tag: 'billing',
  access: 'anyone',
  method: 'post',
  path: '/billing/stripe-webhook',
  summary: 'Take news of payments (for Stripe)',
  description:
    'The address of the webhook endpoint at Stripe. The signature has to be Stripe’s, and at most five minutes old. What ' +
    'an event says is not believed: it is a hint that Stripe is to be asked about the account. So events may come late, ' +
    'more than once and in any order; those of customers of others are ignored.',
  headers: { 'Stripe-Signature': 'The time, and the signature over it and the body' },
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes, documentation: event },
  status: 200,
  response: received,
  proof: {
    schemes: {
      stripeSignature: {
        type: 'apiKey',
        in: 'header',
        name: 'Stripe-Signature',
        description: 'Signature from Stripe',
      },
    },
    codes: ['UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED'],
    async verify({ services, request, readBody }) {
      const { webhook } = stripeOf(services)
      const signature = request.header('stripe-signature') ?? ''
      return webhook.verify({ body: await readBody(), signature, address: request.address })
    },
  },
  async handle({ services, proven }) {
    await stripeOf(services).events.note(proven)
    return { received: true }
  },
})
