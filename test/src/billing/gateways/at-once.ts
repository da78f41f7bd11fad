import type { ExecutionContext } from 'ava'
import { newId } from '../../../../src/ids.ts'
import { charge as pay } from '../../../helpers/stripe/money.ts'
import { days, type stripeStage } from './stages.ts'

type Stage = Awaited<ReturnType<typeof stripeStage>>

/* Two processes may send one request at the same time, before either can see what the other has made. */
export const atOnce: Record<string, (t: ExecutionContext, stage: Stage) => Promise<void>> = {
  async 'a payment that is sent by two at once is charged once, also with another card'(t, stage) {
    for (const card of [undefined, 'pm_card_mastercard']) {
      const customer = await stage.customer('pm_card_visa')
      const charge = { customer, cents: 500, key: newId() }
      stage.double.overtake('POST /v1/payment_intents', async () => {
        if (card !== undefined) await stage.gateway.attach(customer, card)
        await stage.gateway.pay(charge)
      })
      t.like(await stage.gateway.pay(charge), { status: 'paid', key: charge.key })
      t.deepEqual(stage.double.charged(customer), [500])
    }
  },

  async 'a subscription that is begun and changed by two at once is charged once each time'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const wanted = { customer, tier: 'pro' as const, key: newId() }
    stage.double.overtake('POST /v1/subscriptions', () => stage.gateway.subscribe(wanted))
    await stage.gateway.subscribe(wanted)
    t.is(stage.double.world.subscriptions.size, 1)
    const { reference: subscription } = (await stage.gateway.look(customer)).subscription!
    stage.clock.forward(days(15))
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    stage.double.overtake('POST /v1/subscriptions/', () => stage.gateway.change(change))
    await stage.gateway.change(change)
    const { payments } = await stage.gateway.look(customer)
    t.deepEqual(
      payments.map(({ cents }) => cents),
      [7000, 2000],
    )
  },

  async 'an overdue month is tried once for a key, also if the refusal was lost'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(30) + 3600)
    const { reference: subscription } = (await stage.gateway.look(customer)).subscription!
    const { invoices } = stage.double.world
    const tried = (): number => [...invoices.values()].at(-1)!.attempt_count
    const key = newId()
    for (const what of ['lost', 'none'] as const) {
      if (what === 'lost') stage.double.trouble(`POST /v1/invoices/`, what, 3)
      const code = what === 'lost' ? 'INTERNAL_ERROR' : 'PAYMENT_FAILED'
      await t.throwsAsync(stage.gateway.payOverdue(subscription, key), { code })
      t.is(tried(), 2, what)
    }
  },

  async 'a payment is found among hundreds'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const charge = { customer, cents: 500, key: newId() }
    await stage.gateway.pay(charge)
    stage.double.forgetKeys()
    const { world } = stage.double
    const of = world.customer(customer)
    const method = of.invoice_settings.default_payment_method
    for (let more = 0; more < 100; more += 1) pay(world, of, { amount: 100, method })
    t.like(await stage.gateway.pay(charge), { status: 'paid', key: charge.key })
    t.is(stage.double.charged(customer).length, 101)
  },
}
