import { newId } from '../../../../src/ids.ts'
import { readForm } from '../../../helpers/stripe/form.ts'
import { create } from '../../../helpers/stripe/subscriptions.ts'
import type { Cases, StripeStage } from './stages.ts'

/* Requests that Stripe would refuse for ever come to an end all the same. */
export const refusals: Cases<StripeStage> = {
  async 'a payment that Stripe takes for a wrong request is refused'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const error = await t.throwsAsync(stage.gateway.pay({ customer, cents: 10, key: newId() }))
    t.like(error, { code: 'PAYMENT_FAILED', message: 'The payment provider rejected this payment.' })
    t.deepEqual((await stage.gateway.readState(customer)).payments, [])
  },

  async 'a payment that was never confirmed is cancelled, and has failed'(t, { gateway, clock, double, ...stage }) {
    for (const find of ['pay', 'readState'] as const) {
      const customer = await stage.customer('pm_card_visa')
      const charge = { customer, cents: 500, key: newId() }
      double.trouble('POST /v1/payment_intents', 'broken')
      await t.throwsAsync(gateway.pay(charge), { code: 'INTERNAL_ERROR' })
      const intent = [...double.world.intents.values()].at(-1)!
      Object.assign(intent, { status: 'requires_confirmation', latest_charge: null })
      t.is((await gateway.readState(customer)).payments[0]?.status, 'pending', 'it may be on its way')
      clock.forward(601)
      if (find === 'pay') await t.throwsAsync(gateway.pay(charge), { code: 'PAYMENT_FAILED' })
      t.like((await gateway.readState(customer)).payments[0], { status: 'failed', key: charge.key })
      t.is(intent.status, 'canceled')
    }
  },

  async 'a subscription that nobody has looked at is not begun twice'(t, { gateway, double, subscriber, ...stage }) {
    await subscriber('pro')
    const customer = await stage.customer('pm_card_visa')
    const [price] = double.world.prices.keys()
    create(double.world, readForm(`customer=${customer}&items[0][price]=${price}`))
    await t.throwsAsync(gateway.subscribe({ customer, tier: 'pro', key: newId() }), { code: 'NOT_FOUND' })
    t.deepEqual(double.charged(customer), [2000])
  },

  async 'a price that was archived is replaced by another one'(t, { double, subscriber }) {
    const archive = (): void => {
      for (const price of double.world.prices.values()) price.active = false
    }
    const first = await subscriber('pro')
    archive()
    const { customer, change, look } = await subscriber('pro')
    await change('team')
    archive()
    await change('pro', 'period_end')
    t.like((await look()).subscription, { tier: 'team', nextTier: 'pro' })
    t.deepEqual(double.charged(customer), [2000, 6000])
    t.is((await first.look()).subscription?.tier, 'pro', 'the tier of an archived price is known')
  },

  async 'after an error that Stripe repeats for a day, a look finds out what became of a request'(t, stage) {
    const { gateway, double } = stage
    for (const what of ['failed', 'broken'] as const) {
      const customer = await stage.customer('pm_card_visa')
      const wanted = { customer, tier: 'pro' as const, key: newId() }
      const charge = { customer, cents: 500, key: newId() }
      for (const kind of ['subscriptions', 'payment_intents']) double.trouble(`POST /v1/${kind}`, what)
      await t.throwsAsync(gateway.subscribe(wanted), { code: 'INTERNAL_ERROR' })
      await t.throwsAsync(gateway.pay(charge), { code: 'INTERNAL_ERROR' })
      const { paid } = await stage.brief(customer)
      t.deepEqual(paid.toSorted(), what === 'failed' ? [] : ['2000 pro paid', '500 credits paid'])
      if (what === 'failed') {
        await t.throwsAsync(gateway.pay(charge), { code: 'INTERNAL_ERROR' }, 'the answer is the same for a day')
        Object.assign(wanted, { key: newId() })
        Object.assign(charge, { key: newId() })
      }
      await gateway.subscribe(wanted)
      await gateway.pay(charge)
      t.deepEqual(double.charged(customer), [2000, 500])
    }
  },
}
