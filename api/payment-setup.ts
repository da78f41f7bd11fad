import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const setup = named(
  'PaymentSetup',
  v.object({
    clientSecret: field(
      v.nullable(v.string()),
      'For `confirmCardSetup` of Stripe.js; null in the sandbox, where there is nothing to collect',
      null,
    ),
  }),
  'What a web page needs to collect a card',
)

export const setUpPaymentMethod = route({
  name: 'setUpPaymentMethod',
  needsPayments: true,
  tag: 'billing',
  access: 'account',
  audit: { not: 'It changes nothing; the card that is added then is noted.' },
  ofUser: true,
  method: 'post',
  path: '/billing/payment-methods/setup',
  summary: 'Begin to collect a card',
  description:
    'With Stripe, a web page collects the card by Stripe.js and this secret, so that its number never comes here. Then ' +
    'add it by its id with `POST /billing/payment-methods`.',
  status: 201,
  response: setup,
  async handle({ services: { billing, stripe }, caller }) {
    const setting = stripe && (await stripe.gateway.setup(await billing.look.customerOf(caller.userId)))
    return setting ?? { clientSecret: null }
  },
})
