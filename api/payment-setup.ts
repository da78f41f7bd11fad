import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const setup = named(
  'PaymentSetup',
  v.object({
    clientSecret: field(
      v.nullable(v.string()),
      'Secret for `confirmCardSetup` in Stripe.js. Null in the sandbox, which collects no cards.',
      null,
    ),
  }),
  'Data that a web page needs to collect a card',
)

export const setUpPaymentMethod = route({
  name: 'setUpPaymentMethod',
  needsPayments: true,
  tag: 'billing',
  access: 'account',
  audit: { not: 'It changes nothing. Adding the card is recorded.' },
  ofUser: true,
  method: 'post',
  path: '/billing/payment-methods/setup',
  summary: 'Start collecting a card',
  description:
    'Your page collects the card with Stripe.js and the returned `clientSecret`, so the card number never reaches the platform. Then use `POST /billing/payment-methods` to add the card by its id.',
  status: 201,
  response: setup,
  async handle({ services: { billing, stripe }, caller }) {
    const setting = stripe && (await stripe.gateway.setup(await billing.polling.customerOf(caller.userId)))
    return setting ?? { clientSecret: null }
  },
})
