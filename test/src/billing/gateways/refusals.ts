import type { ExecutionContext } from 'ava'
import { newId } from '../../../../src/ids.ts'
import { readForm } from '../../../helpers/stripe/form.ts'
import { create } from '../../../helpers/stripe/subscriptions.ts'
import type { stripeStage } from './stages.ts'

type Stage = Awaited<ReturnType<typeof stripeStage>>

/* Requests that Stripe would refuse for ever come to an end all the same. */
export const refusals: Record<string, (t: ExecutionContext, stage: Stage) => Promise<void>> = {
  async 'a payment that Stripe takes for a wrong request is refused'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const error = await t.throwsAsync(stage.gateway.pay({ customer, cents: 10, key: newId() }), {
      code: 'PAYMENT_FAILED',
    })
    t.is(error?.message, 'The payment provider refuses this payment.')
    t.deepEqual((await stage.gateway.look(customer)).payments, [])
  },

  async 'a payment that was never confirmed is cancelled, and has failed'(t, stage) {
    for (const find of ['pay', 'look'] as const) {
      const customer = await stage.customer('pm_card_visa')
      const charge = { customer, cents: 500, key: newId() }
      stage.double.trouble('POST /v1/payment_intents', 'broken')
      await t.throwsAsync(stage.gateway.pay(charge), { code: 'INTERNAL_ERROR' })
      const intent = [...stage.double.world.intents.values()].at(-1)!
      Object.assign(intent, { status: 'requires_confirmation', latest_charge: null })
      const fresh = await stage.gateway.look(customer)
      t.is(fresh.payments[0]?.status, 'pending', 'it may be on its way')
      stage.clock.forward(601)
      if (find === 'pay') await t.throwsAsync(stage.gateway.pay(charge), { code: 'PAYMENT_FAILED' })
      t.like((await stage.gateway.look(customer)).payments[0], { status: 'failed', key: charge.key })
      t.is(intent.status, 'canceled')
    }
  },

  async 'a subscription that nobody has looked at is not begun twice'(t, stage) {
    const [one, other] = [await stage.customer('pm_card_visa'), await stage.customer('pm_card_visa')]
    await stage.gateway.subscribe({ customer: one, tier: 'pro', key: newId() })
    const [price] = stage.double.world.prices.keys()
    create(stage.double.world, readForm(`customer=${other}&items[0][price]=${price}`))
    const wanted = { customer: other, tier: 'pro' as const, key: newId() }
    await t.throwsAsync(stage.gateway.subscribe(wanted), { code: 'NOT_FOUND' })
    t.deepEqual(stage.double.charged(other), [2000])
  },

  async 'a price that was archived is replaced by another one'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const archive = (): void => {
      for (const price of stage.double.world.prices.values()) price.active = false
    }
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    archive()
    const other = await stage.customer('pm_card_visa')
    await stage.gateway.subscribe({ customer: other, tier: 'pro', key: newId() })
    const { reference: subscription } = (await stage.gateway.look(other)).subscription!
    await stage.gateway.change({ subscription, tier: 'team', when: 'now', key: newId() })
    archive()
    await stage.gateway.change({ subscription, tier: 'pro', when: 'period_end', key: newId() })
    t.like((await stage.gateway.look(other)).subscription, { tier: 'team', nextTier: 'pro' })
    t.deepEqual(stage.double.charged(other), [2000, 6000])
    t.is((await stage.gateway.look(customer)).subscription?.tier, 'pro', 'the tier of an archived price is known')
  },

  async 'after an error that Stripe repeats for a day, a look finds out what became of a request'(t, stage) {
    for (const [what, count] of [
      ['failed', 0],
      ['broken', 1],
    ] as const) {
      const customer = await stage.customer('pm_card_visa')
      const wanted = { customer, tier: 'pro' as const, key: newId() }
      const charge = { customer, cents: 500, key: newId() }
      for (const kind of ['subscriptions', 'payment_intents']) stage.double.trouble(`POST /v1/${kind}`, what)
      await t.throwsAsync(stage.gateway.subscribe(wanted), { code: 'INTERNAL_ERROR' })
      await t.throwsAsync(stage.gateway.pay(charge), { code: 'INTERNAL_ERROR' })
      const { subscription, payments } = await stage.gateway.look(customer)
      t.is(subscription === null ? 0 : 1, count, what)
      t.is(payments.length, 2 * count)
      if (count > 0) {
        await stage.gateway.subscribe(wanted)
        await stage.gateway.pay(charge)
      } else {
        await t.throwsAsync(stage.gateway.pay(charge), { code: 'INTERNAL_ERROR' }, 'the answer is the same for a day')
        await stage.gateway.subscribe({ ...wanted, key: newId() })
        await stage.gateway.pay({ ...charge, key: newId() })
      }
      t.deepEqual(stage.double.charged(customer), [2000, 500])
    }
  },
}
