import { newId } from '../../../../src/ids.ts'
import { deleteCustomer, newMethod, refund } from '../../../helpers/stripe/routes.ts'
import { days, type Cases, type StripeStage } from './stages.ts'

const defaultOf = ({ double }: StripeStage, customer: string) =>
  double.world.customer(customer).invoice_settings.default_payment_method

/* What others do at Stripe: in the dashboard, or on a web page that ends half-way. */
export const dashboard: Cases<StripeStage> = {
  async 'a card that is not listed is not charged when the listed one goes'(t, stage) {
    const { gateway, double } = stage
    const customer = await stage.customer()
    const { reference } = await gateway.attach(customer, 'pm_card_visa')
    // As a SetupIntent attaches it.
    const unlisted = { ...newMethod(double.world, 'pm_card_mastercard'), customer }
    double.world.methods.set(unlisted.id, unlisted)
    await gateway.detach(customer, reference, [])
    t.is(defaultOf(stage, customer), null)
    t.is((await gateway.readState(customer)).card, null)
    await t.throwsAsync(gateway.pay({ customer, cents: 500, key: newId() }), { code: 'PAYMENT_FAILED' })
  },

  async 'the newest card that is attached still is preferred'(t, stage) {
    const customer = await stage.customer()
    const { reference: older } = await stage.gateway.attach(customer, 'pm_card_visa')
    const { reference: newer } = await stage.gateway.attach(customer, 'pm_card_mastercard')
    stage.double.world.methods.get(newer)!.customer = null
    for (const [cards, preferred] of [
      [[newer, older], older],
      [[], null],
    ] as const) {
      t.is(await stage.gateway.prefer(customer, cards), preferred)
      t.is(defaultOf(stage, customer), preferred)
    }
  },

  async 'a customer that was deleted is replaced by another one'(t, { gateway, double, brief }) {
    const owner = newId()
    const customer = await gateway.customer(owner)
    await gateway.attach(customer, 'pm_card_visa')
    await gateway.subscribe({ customer, tier: 'pro', key: newId() })
    deleteCustomer(double.world, customer)
    const other = await gateway.customer(owner, { customer, isSubscribed: true })
    t.not(other, customer)
    t.deepEqual(await brief(other), { told: null, paid: [], creditCents: 0 })
    const unknown = 'cus_of_test_mode'
    t.not(await gateway.customer(owner, { customer: unknown, isSubscribed: false }), unknown)
    const subscribed = gateway.customer(owner, { customer: unknown, isSubscribed: true })
    await t.throwsAsync(subscribed, { code: 'INTERNAL_ERROR' }, 'the key may be that of another account')
  },

  async 'what was credited for a month that is paid back later is taken away once, whoever looks'(t, stage) {
    const { gateway, double, clock, subscriber } = stage
    const { customer, look, cancel, brief } = await subscriber('team')
    const intents = () => [...double.world.intents.values()].filter((one) => one.customer === customer)
    await cancel('now')
    await gateway.subscribe({ customer, tier: 'pro', key: newId() })
    t.is((await look()).creditCents, 6000)
    refund(double.world, intents()[0]!)
    double.trouble('POST /v1/customers/', 'lost', 1)
    await Promise.all([look(), look()])
    double.forgetKeys()
    const paid = ['8000 team refunded', '-8000 team paid, 8000 credited', '0 pro paid, 2000 credited']
    t.like(await brief(), { paid, creditCents: -2000 })
    clock.forward(days(31) + 3660)
    t.deepEqual((await brief()).paid, [...paid, '4000 pro paid, -2000 credited'])
    refund(double.world, intents().at(-1)!)
    const back = [...paid, '4000 pro refunded']
    t.like(await brief(), { paid: back, creditCents: -2000 }, 'a debt whose payment is paid back is one again')
  },

  async 'a change at once of a month that was paid back is paid in full, and nothing of that month is credited'(
    t,
    stage,
  ) {
    const { customer, change, brief } = await stage.subscriber('pro')
    refund(
      stage.double.world,
      [...stage.double.world.intents.values()].find((one) => one.customer === customer)!,
    )
    stage.clock.forward(days(10))
    await change('team')
    t.deepEqual(stage.double.charged(customer), [2000, 8000])
    t.like(await brief(), { paid: ['2000 pro refunded', '8000 team paid'], creditCents: 0 })
  },

  async 'the last month of a subscription that was marked as unpaid can be paid'(t, stage) {
    const { customer, subscription, look, payOverdue } = await stage.subscriber('pro')
    const found = stage.double.world.subscription(subscription)
    stage.clock.forward(days(30) + 60)
    stage.double.settle()
    found.status = 'unpaid'
    stage.double.world.invoice(found.latest_invoice).auto_advance = false
    t.like((await look()).subscription, { status: 'past_due' })
    await payOverdue()
    t.like((await look()).subscription, { status: 'active' })
    found.status = 'unpaid'
    await t.throwsAsync(payOverdue(), { code: 'PAYMENT_FAILED' })
    t.deepEqual(stage.double.charged(customer), [2000, 2000])
  },
}
