import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { field, freeObject, named } from './schemas/documented.ts'

const received = named(
  'StripeEventReceived',
  v.object({ received: field(v.literal(true), 'Always true') }),
  'Response to a Stripe event',
)
const event = freeObject('StripeEvent', 'Stripe event', {
  id: 'evt_1Nk8dH2eZvKYlo2C',
  object: 'event',
  type: 'invoice.paid',
  data: { object: { object: 'invoice', customer: 'cus_NffrFeUfNV2Hib' } },
})

/** Fails with NOT_FOUND if the installation does not use Stripe. */
function stripeOf({ stripe }: Services) {
  assertThat(stripe, 'NOT_FOUND', { message: 'This installation does not use Stripe.' })
  return stripe
}

export const receiveStripeEvent = route({
  name: 'receiveStripeEvent',
  audit: { not: 'Its effects are recorded when the gateway reports them.' },
  tag: 'billing',
  access: 'anyone',
  method: 'post',
  path: '/billing/stripe-webhook',
  summary: 'Receive a Stripe event',
  description:
    'Webhook endpoint to register in Stripe. Requires a Stripe signature that is at most five minutes old. An event only prompts the platform to ask Stripe about the account, so events can arrive late, repeatedly and in any order. ' +
    'Events about unknown customers are ignored. See [Stripe](/docs/operate/stripe).',
  headers: { 'Stripe-Signature': 'Timestamp, and the signature of the timestamp and body' },
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
