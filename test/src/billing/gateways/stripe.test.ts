// @promise refunds
import test from 'ava'
import { Stripe } from 'stripe'
import { createStripeWebhook } from '../../../../src/billing/gateways/stripe/webhook.ts'
import { movableClock } from '../../../helpers/clock.ts'
import type { Recorded } from '../../../helpers/stripe/double.ts'
import { assertValid } from '../../../helpers/stripe/stripe-mock.ts'
import { atOnce } from './at-once.ts'
import { cases } from './cases.ts'
import { dashboard } from './dashboard.ts'
import { draftHour } from './draft-hour.ts'
import { refusals } from './refusals.ts'
import { stripeStage } from './stages.ts'

/** All requests of this file, which stripe-mock judges in the end. */
const requests: Recorded[] = []

for (const [title, check] of Object.entries({ ...cases, ...atOnce, ...draftHour, ...dashboard, ...refusals })) {
  test.serial(`with Stripe ${title}`, async (t) => {
    const stage = await stripeStage(t)
    await check(t, stage)
    requests.push(...stage.double.requests)
  })
}

test.serial('the card of another customer is unknown, and one that is attached already is fine', async (t) => {
  const stage = await stripeStage(t)
  const [one, other] = [await stage.customer(), await stage.customer()]
  const { reference } = await stage.gateway.attach(one, 'pm_card_visa')
  t.is((await stage.gateway.attach(one, reference)).reference, reference)
  await t.throwsAsync(stage.gateway.attach(other, reference), { code: 'VALIDATION_ERROR' })
})

test('a forged delivery counts for the address that it came from, and a right one does not', async (t) => {
  const [stripe, clock, secret] = [new Stripe('sk_test_unused'), movableClock(), 'whsec_of_a_test']
  const failed: string[] = []
  const rateLimits = { webhookFailed: async (address: string) => void failed.push(address) }
  const webhook = createStripeWebhook({ stripe, secret, clock, rateLimits })
  const [payload, timestamp] = ['{"id":"evt_1"}', clock.now().getTime() / 1000]
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const delivery = { body: Buffer.from(payload), signature, address: '192.0.2.1' }
  t.deepEqual(await webhook.verify(delivery), { id: 'evt_1' })
  const forged = { ...delivery, signature: 't=1,v1=0', address: '192.0.2.2' }
  await t.throwsAsync(webhook.verify(forged), { code: 'UNAUTHORIZED' })
  t.deepEqual(failed, ['192.0.2.2'])
})

test.serial('stripe-mock rejects none of the requests of these cases', async (t) => {
  const setting = await stripeStage(t)
  await setting.gateway.setup(await setting.customer())
  await assertValid(t, [...requests, ...setting.double.requests], 25)
})
