// @promise refunds
import test from 'ava'
import type { Recorded } from '../../../helpers/stripe/double.ts'
import { assertValid } from '../../../helpers/stripe/judge.ts'
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

test.serial('stripe-mock rejects none of the requests of these cases', async (t) => {
  const setting = await stripeStage(t)
  await setting.gateway.setup(await setting.customer())
  await assertValid(t, [...requests, ...setting.double.requests], 25)
})
