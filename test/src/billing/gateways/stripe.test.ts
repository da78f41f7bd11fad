import test from 'ava'
import { cases } from './cases.ts'
import { stripeStage } from './stages.ts'

for (const [title, check] of Object.entries(cases))
  test(`with Stripe ${title}`, async (t) => check(t, await stripeStage(t)))
