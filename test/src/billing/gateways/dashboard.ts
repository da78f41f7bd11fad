import type { ExecutionContext } from 'ava'
import { newId } from '../../../../src/ids.ts'
import { deleteCustomer, newMethod, refund } from '../../../helpers/stripe/routes.ts'
import { days, type stripeStage } from './stages.ts'

type Stage = Awaited<ReturnType<typeof stripeStage>>

const defaultOf = ({ double }: Stage, customer: string) =>
  double.world.customer(customer).invoice_settings.default_payment_method

/** A card of the customer that the platform does not list, as a SetupIntent attaches it. */
function unlisted({ double: { world } }: Stage, customer: string): string {
  const method = { ...newMethod(world, 'pm_card_mastercard'), customer }
  world.methods.set(method.id, method)
  return method.id
}

/* What others do at Stripe: in the dashboard, or on a web page that ends half-way. */
export const dashboard: Record<string, (t: ExecutionContext, stage: Stage) => Promise<void>> = {
  async 'a card that is not listed is not charged when the listed one goes'(t, stage) {
    const customer = await stage.customer()
    const { reference } = await stage.gateway.attach(customer, 'pm_card_visa')
    unlisted(stage, customer)
    await stage.gateway.detach(customer, reference, [])
    t.is(defaultOf(stage, customer), null)
    t.is((await stage.gateway.look(customer)).card, null)
    const charge = { customer, cents: 500, key: newId() }
    await t.throwsAsync(stage.gateway.pay(charge), { code: 'PAYMENT_FAILED' })
  },

  async 'the newest card that is attached still is preferred'(t, stage) {
    const customer = await stage.customer()
    const { reference: older } = await stage.gateway.attach(customer, 'pm_card_visa')
    const { reference: newer } = await stage.gateway.attach(customer, 'pm_card_mastercard')
    stage.double.world.methods.get(newer)!.customer = null
    t.is(await stage.gateway.prefer(customer, [newer, older]), older)
    t.is(defaultOf(stage, customer), older)
    t.is(await stage.gateway.prefer(customer, []), null)
    t.is(defaultOf(stage, customer), null)
  },

  async 'a customer that was deleted is replaced by another one'(t, stage) {
    const owner = newId()
    const customer = await stage.gateway.customer(owner)
    await stage.gateway.attach(customer, 'pm_card_visa')
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    deleteCustomer(stage.double.world, customer)
    const other = await stage.gateway.customer(owner, { customer, isSubscribed: true })
    t.not(other, customer)
    t.like(await stage.gateway.look(other), { subscription: null, payments: [], card: null })
    const unknown = 'cus_of_test_mode'
    t.not(await stage.gateway.customer(owner, { customer: unknown, isSubscribed: false }), unknown)
    const subscribed = stage.gateway.customer(owner, { customer: unknown, isSubscribed: true })
    await t.throwsAsync(subscribed, { code: 'INTERNAL_ERROR' }, 'the key may be that of another account')
  },

  async 'what was credited for a month that is paid back later is taken away once, whoever looks'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    await stage.gateway.subscribe({ customer, tier: 'team', key: newId() })
    await stage.gateway.cancel((await stage.gateway.look(customer)).subscription!.reference, 'now')
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    t.is((await stage.gateway.look(customer)).creditCents, 6000)
    const { world } = stage.double
    refund(
      world,
      [...world.intents.values()].find((one) => one.customer === customer)!,
    )
    stage.double.trouble('POST /v1/customers/', 'lost', 1)
    const looks = await Promise.all([1, 2].map(() => stage.gateway.look(customer)))
    stage.double.forgetKeys()
    for (const { creditCents, payments } of [...looks, await stage.gateway.look(customer)]) {
      t.is(creditCents, -2000)
      const left = payments.find(({ cents }) => cents < 0)
      t.like(left, { cents: -8000, fromCreditCents: 8000, status: 'paid' })
    }
    stage.clock.forward(days(31) + 3660)
    t.like((await stage.gateway.look(customer)).payments[0], { cents: 4000, fromCreditCents: -2000, status: 'paid' })
    refund(
      world,
      [...world.intents.values()].findLast((one) => one.customer === customer)!,
    )
    const { creditCents, payments } = await stage.gateway.look(customer)
    t.is(creditCents, -2000, 'a debt whose payment is paid back is one again')
    t.like(payments[0], { cents: 4000, fromCreditCents: 0, status: 'refunded' })
  },

  async 'the last month of a subscription that was marked as unpaid can be paid'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    const [found] = stage.double.world.subscriptions.values()
    stage.clock.forward(days(30) + 60)
    stage.double.settle()
    found!.status = 'unpaid'
    stage.double.world.invoice(found!.latest_invoice).auto_advance = false
    t.like((await stage.gateway.look(customer)).subscription, { status: 'past_due' })
    await stage.gateway.payOverdue(found!.id, newId())
    t.like((await stage.gateway.look(customer)).subscription, { status: 'active' })
    found!.status = 'unpaid'
    await t.throwsAsync(stage.gateway.payOverdue(found!.id, newId()), { code: 'PAYMENT_FAILED' })
    t.deepEqual(stage.double.charged(customer), [2000, 2000])
  },
}
