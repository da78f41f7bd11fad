import { newId } from '../../../../src/ids.ts'
import { charge as pay } from '../../../helpers/stripe/money.ts'
import { days, month, type Cases, type StripeStage } from './stages.ts'

/* Two processes may send one request at the same time, before either can see what the other has made. */
export const atOnce: Cases<StripeStage> = {
  async 'a payment that is sent by two at once is charged once, also with another card'(t, { gateway, double, ...of }) {
    for (const card of [undefined, 'pm_card_mastercard']) {
      const customer = await of.customer('pm_card_visa')
      const charge = { customer, cents: 500, key: newId() }
      double.overtake('POST /v1/payment_intents', async () => {
        if (card !== undefined) await gateway.attach(customer, card)
        await gateway.pay(charge)
      })
      t.like(await gateway.pay(charge), { status: 'paid', key: charge.key })
      t.deepEqual(double.charged(customer), [500])
    }
  },

  async 'a subscription that is begun and changed by two at once is charged once each time'(t, stage) {
    const { gateway, double, clock, brief } = stage
    const customer = await stage.customer('pm_card_visa')
    const wanted = { customer, tier: 'pro' as const, key: newId() }
    double.overtake('POST /v1/subscriptions', () => gateway.subscribe(wanted))
    await gateway.subscribe(wanted)
    t.is(double.world.subscriptions.size, 1)
    const { reference: subscription } = (await gateway.readState(customer)).subscription!
    clock.forward(days(15))
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    double.overtake('POST /v1/subscriptions/', () => gateway.change(change))
    await gateway.change(change)
    t.deepEqual((await brief(customer)).paid, ['2000 pro paid', '7000 team paid'])
  },

  async 'an overdue month is tried once for a key, also if the refusal was lost'(t, { clock, double, subscriber }) {
    const one = await subscriber('pro')
    await one.attach('pm_card_chargeCustomerFail')
    clock.forward(month)
    t.is((await one.look()).subscription?.status, 'past_due')
    const key = newId()
    for (const [lost, code] of [
      [3, 'INTERNAL_ERROR'],
      [0, 'PAYMENT_FAILED'],
    ] as const) {
      double.trouble(`POST /v1/invoices/`, 'lost', lost)
      await t.throwsAsync(one.payOverdue(key), { code })
      t.is([...double.world.invoices.values()].at(-1)!.attempt_count, 2, code)
    }
  },

  async 'a payment is found by its key among hundreds, also when Stripe has forgotten the key'(t, stage) {
    const { gateway, double } = stage
    const charge = { customer: await stage.customer('pm_card_visa'), cents: 500, key: newId() }
    double.trouble('POST /v1/payment_intents', 'lost', 3)
    await t.throwsAsync(gateway.pay(charge), { code: 'INTERNAL_ERROR' })
    double.forgetKeys()
    const of = double.world.customer(charge.customer)
    const method = of.invoice_settings.default_payment_method
    for (let more = 0; more < 100; more += 1) pay(double.world, of, { amount: 100, method })
    t.like(await gateway.pay(charge), { status: 'paid', key: charge.key })
    t.is(double.charged(charge.customer).length, 101)
  },
}
