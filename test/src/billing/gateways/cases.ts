import { newId } from '../../../../src/ids.ts'
import { days, month, type Cases, type Stage } from './stages.ts'

/* What every gateway does. The same cases run against the sandbox and against Stripe. */

const paymentFailed = { code: 'PAYMENT_FAILED' }
const ended = { code: 'NOT_FOUND' }

export const cases: Cases<Stage> = {
  async 'a customer has no more than one name'(t, { gateway, brief }) {
    const owner = newId()
    const name = await gateway.customer(owner)
    t.is(await gateway.customer(owner), name)
    t.is(await gateway.customer(owner, { customer: name, isSubscribed: false }), name)
    t.deepEqual(await brief(name), { told: null, paid: [], creditCents: 0 })
  },

  async 'a card is attached, a refused or an unknown one is not'(t, { gateway, customer }) {
    const name = await customer()
    const card = await gateway.attach(name, 'pm_card_mastercard')
    t.like(card, { brand: 'mastercard', last4: '4444' })
    await t.throwsAsync(gateway.attach(name, 'pm_card_chargeDeclined'), paymentFailed)
    await t.throwsAsync(gateway.attach(name, 'pm_card_nobody'), { code: 'VALIDATION_ERROR' })
    for (const _ of ['once', 'again']) await t.notThrowsAsync(gateway.detach(name, card.reference, []))
  },

  async 'a payment is charged once, however often its key is sent'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const charge = { customer, cents: 1500, key: newId() }
    const paid = await stage.gateway.pay(charge)
    t.like(paid, { key: charge.key, cents: 1500, status: 'paid', tier: null })
    t.deepEqual(await stage.gateway.pay(charge), paid)
    t.deepEqual((await stage.gateway.readState(customer)).payments, [paid])
  },

  async 'a refused payment stays refused under its key, and another one is charged to the newest card'(t, stage) {
    const customer = await stage.customer('pm_card_visa', 'pm_card_chargeCustomerFail')
    const charge = { customer, cents: 500, key: newId() }
    const error = await t.throwsAsync(stage.gateway.pay(charge), paymentFailed)
    t.is(error?.message, 'The card was declined. Use another payment method.')
    await stage.gateway.attach(customer, 'pm_card_mastercard')
    await t.throwsAsync(stage.gateway.pay(charge), paymentFailed)
    await stage.gateway.pay({ ...charge, key: newId() })
    t.deepEqual((await stage.brief(customer)).paid.toSorted(), ['500 credits failed', '500 credits paid'])
    const { payments } = await stage.gateway.readState(customer)
    t.is(payments.find(({ status }) => status === 'failed')?.failure, 'The card was declined.')
  },

  async 'the newest card that is left is charged, and without one nothing is'(t, { gateway, ...stage }) {
    const customer = await stage.customer()
    const { reference: left } = await gateway.attach(customer, 'pm_card_visa')
    const failing = await gateway.attach(customer, 'pm_card_chargeCustomerFail')
    await gateway.detach(customer, failing.reference, [left])
    await t.notThrowsAsync(gateway.pay({ customer, cents: 100, key: newId() }))
    const none = await stage.customer()
    await t.throwsAsync(gateway.pay({ customer: none, cents: 100, key: newId() }), paymentFailed)
    await t.throwsAsync(gateway.subscribe({ customer: none, tier: 'pro', key: newId() }), paymentFailed)
  },

  async 'a subscription begins with a paid month, once for its key, and another one beside it is refused'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const wanted = { customer, tier: 'pro' as const, key: newId() }
    for (const _ of ['once', 'again']) await stage.gateway.subscribe(wanted)
    const other = stage.gateway.subscribe({ customer, tier: 'team', key: newId() })
    await t.throwsAsync(other, { ...ended, message: 'This account already has a subscription.' })
    const paid = ['2000 pro paid']
    t.deepEqual(await stage.brief(customer), { told: 'pro active until 2026-12-21', paid, creditCents: 0 })
    const { payments, subscription } = await stage.gateway.readState(customer)
    t.is(payments[0]?.key, wanted.key)
    t.is(subscription?.cancelledAt, null)
  },

  async 'a refused first month leaves no subscription'(t, stage) {
    const customer = await stage.customer('pm_card_chargeCustomerFail')
    await t.throwsAsync(stage.gateway.subscribe({ customer, tier: 'pro', key: newId() }), paymentFailed)
    t.is((await stage.gateway.readState(customer)).subscription, null)
  },

  async 'an upgrade begins a month, less what is left of the old one'(t, { clock, subscriber }) {
    const one = await subscriber('pro')
    clock.forward(days(15))
    const key = newId()
    for (const _ of ['once', 'again']) await one.change('team', 'now', key)
    const paid = ['2000 pro paid', '7000 team paid']
    t.deepEqual(await one.brief(), { told: 'team active until 2027-01-06', paid, creditCents: 0 })
    t.like((await one.look()).payments[0], { key, left: { tier: 'pro', cents: 1000 } })
  },

  async 'a refused upgrade changes nothing'(t, { clock, subscriber }) {
    const one = await subscriber('pro')
    const before = (await one.look()).subscription
    await one.attach('pm_card_chargeCustomerFail')
    clock.forward(days(10))
    await t.throwsAsync(one.change('team'), paymentFailed)
    t.deepEqual((await one.look()).subscription, before)
  },

  async 'a downgrade at once credits what is left, which later months use up'(t, { clock, subscriber }) {
    const one = await subscriber('team')
    clock.forward(days(15))
    await one.change('pro')
    const paid = ['8000 team paid', '-2000 team paid']
    t.deepEqual(await one.brief(), { told: 'pro active until 2027-01-06', paid, creditCents: 2000 })
    clock.forward(days(32))
    const later = [...paid, '0 pro paid, 2000 credited']
    t.deepEqual(await one.brief(), { told: 'pro active until 2027-02-06', paid: later, creditCents: 0 })
  },

  async 'a downgrade at the end of the period waits for it'(t, { clock, subscriber }) {
    const one = await subscriber('team')
    await one.change('pro', 'period_end')
    t.is((await one.brief()).told, 'team active until 2026-12-21, then pro')
    clock.forward(days(31))
    const paid = ['8000 team paid', '2000 pro paid']
    t.deepEqual(await one.brief(), { told: 'pro active until 2027-01-21', paid, creditCents: 0 })
    clock.forward(days(31))
    t.is((await one.brief()).told, 'pro active until 2027-02-21')
  },

  async 'a downgrade and a cancellation are taken back'(t, { gateway, clock, subscriber }) {
    const one = await subscriber('team')
    const told = async () => (await one.brief()).told
    await one.change('pro', 'period_end')
    await gateway.keep(one.subscription)
    t.is(await told(), 'team active until 2026-12-21')
    await one.change('pro', 'period_end')
    await one.cancel('period_end')
    t.is(await told(), 'team active until 2026-12-21, then free')
    t.deepEqual((await one.look()).subscription?.cancelledAt, clock.now())
    await one.change('pro', 'period_end')
    t.is(await told(), 'team active until 2026-12-21, then pro')
    await one.cancel('period_end')
    await one.change('team')
    const paid = ['8000 team paid']
    t.deepEqual(await one.brief(), { told: 'team active until 2026-12-21', paid, creditCents: 0 })
  },

  async 'a cancelled subscription ends with its period'(t, { gateway, clock, subscriber }) {
    const one = await subscriber('pro')
    await one.cancel('period_end')
    clock.forward(days(31))
    t.deepEqual(await one.brief(), { told: null, paid: ['2000 pro paid'], creditCents: 0 })
    await t.notThrowsAsync(one.cancel('now'))
    await t.throwsAsync(gateway.keep(one.subscription), ended)
    await t.throwsAsync(one.payOverdue(), ended)
    await t.throwsAsync(one.change('team'), ended)
  },

  async 'a subscription that is cancelled at once credits what is left'(t, { gateway, clock, subscriber }) {
    const one = await subscriber('pro')
    clock.forward(days(15))
    await one.cancel('now')
    const paid = ['2000 pro paid', '-1000 pro paid']
    t.deepEqual(await one.brief(), { told: null, paid, creditCents: 1000 })
    await gateway.subscribe({ customer: one.customer, tier: 'pro', key: newId() })
    t.deepEqual((await one.brief()).paid, [...paid, '1000 pro paid, 1000 credited'])
  },

  async 'what is credited pays for months without a card'(t, { gateway, clock, brief }) {
    const customer = await gateway.customer(newId())
    const { reference } = await gateway.attach(customer, 'pm_card_visa')
    await gateway.subscribe({ customer, tier: 'team', key: newId() })
    await gateway.cancel((await gateway.readState(customer)).subscription!.reference, 'now')
    await gateway.detach(customer, reference, [])
    await gateway.subscribe({ customer, tier: 'pro', key: newId() })
    const paid = ['8000 team paid', '-8000 team paid', '0 pro paid, 2000 credited']
    t.deepEqual(await brief(customer), { told: 'pro active until 2026-12-21', paid, creditCents: 6000 })
    clock.forward(month)
    paid.push('0 pro paid, 2000 credited')
    t.deepEqual(await brief(customer), { told: 'pro active until 2027-01-21', paid, creditCents: 4000 })
  },

  async 'a month that is not paid is overdue until it is'(t, { clock, subscriber }) {
    const one = await subscriber('pro')
    clock.forward(month)
    t.is((await one.look()).payments[0]?.key, null, 'it renews by itself')
    await one.attach('pm_card_chargeCustomerFail')
    clock.forward(days(31))
    // The first month was paid more than sixty days ago.
    const paid = ['2000 pro paid']
    const late = { told: 'pro past_due until 2027-01-21', paid: [...paid, '2000 pro failed'], creditCents: 0 }
    t.deepEqual(await one.brief(), late)
    const [failed] = (await one.look()).payments
    t.like(failed, { failure: 'The card was declined.', key: null })
    await t.throwsAsync(one.payOverdue(), paymentFailed)
    await one.attach('pm_card_visa')
    const key = newId()
    for (const _ of ['once', 'again']) await one.payOverdue(key)
    paid.push('2000 pro paid')
    t.deepEqual(await one.brief(), { told: 'pro active until 2027-02-21', paid, creditCents: 0 })
    t.is((await one.look()).payments[0]?.reference, failed?.reference)
  },

  async 'an overdue month is tried again, and the subscription ends after the last time'(t, stage) {
    const { gateway, clock } = stage
    const one = await stage.subscriber('pro')
    const { reference: left } = await one.attach('pm_card_visa')
    const card = await one.attach('pm_card_chargeCustomerFail')
    clock.forward(days(31))
    t.is((await one.brief()).told, 'pro past_due until 2026-12-21')
    await gateway.detach(one.customer, card.reference, [left])
    clock.forward(days(3))
    t.is((await one.brief()).told, 'pro active until 2027-01-21')
    await one.attach('pm_card_chargeCustomerFail')
    clock.forward(days(36))
    t.deepEqual(await one.brief(), { told: null, paid: ['2000 pro paid', '2000 pro failed'], creditCents: 0 })
  },

  async 'a subscription that is overdue ends or changes without the month that was not paid'(t, stage) {
    const [one, other] = [await stage.subscriber('pro'), await stage.subscriber('pro')]
    for (const { attach } of [one, other]) await attach('pm_card_chargeCustomerFail')
    stage.clock.forward(month)
    t.is((await other.brief()).told, 'pro past_due until 2026-12-21')
    await one.cancel('period_end')
    const paid = ['2000 pro paid', '2000 pro failed']
    t.deepEqual(await one.brief(), { told: null, paid, creditCents: 0 })
    await other.attach('pm_card_visa')
    await other.change('team')
    paid.push('8000 team paid')
    t.deepEqual(await other.brief(), { told: 'team active until 2027-01-21', paid, creditCents: 0 })
  },
}
