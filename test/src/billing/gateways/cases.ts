import type { ExecutionContext } from 'ava'
import { newId } from '../../../../src/ids.ts'
import type { GatewayPayment } from '../../../../src/billing/gateways/gateway.ts'
import { days, type Stage } from './stages.ts'

/* What every gateway does. The same cases run against the sandbox and against Stripe. */

type Case = (t: ExecutionContext, stage: Stage) => Promise<void>

const paymentFailed = { code: 'PAYMENT_FAILED' }
const ended = { code: 'NOT_FOUND' }
const inBrief = ({ key, cents, status, tier }: GatewayPayment) => ({ key, cents, status, tier })
const amountOf = ({ cents, fromCreditCents, status }: GatewayPayment) =>
  `${cents} ${status}${fromCreditCents === 0 ? '' : `, ${fromCreditCents} credited`}`

/** What is so, in brief: the tier and its status, what follows, and the payments, the oldest first. */
async function brief({ gateway }: Stage, customer: string) {
  const { subscription, payments, creditCents } = await gateway.look(customer)
  const told = subscription && `${subscription.tier} ${subscription.status} then ${subscription.nextTier ?? 'the same'}`
  return { told, paid: payments.toReversed().map(amountOf), creditCents }
}

async function subscribed(stage: Stage, tier: 'pro' | 'team', card = 'pm_card_visa') {
  const customer = await stage.customer(card)
  await stage.gateway.subscribe({ customer, tier, key: newId() })
  const { subscription } = await stage.gateway.look(customer)
  return { customer, subscription: subscription!.reference }
}

export const cases: Record<string, Case> = {
  async 'a customer has no more than one name'(t, { gateway }) {
    const owner = newId()
    t.is(await gateway.customer(owner), await gateway.customer(owner))
    const nothing = { subscription: null, payments: [], creditCents: 0 }
    const name = await gateway.customer(owner)
    t.is(await gateway.customer(owner, { customer: name, isSubscribed: false }), name)
    t.like(await gateway.look(name), nothing)
  },

  async 'a card is attached, a refused or an unknown one is not'(t, stage) {
    const { gateway } = stage
    const name = await stage.customer()
    const card = await gateway.attach(name, 'pm_card_mastercard')
    t.like(card, { brand: 'mastercard', last4: '4444' })
    await t.throwsAsync(gateway.attach(name, 'pm_card_chargeDeclined'), paymentFailed)
    await t.throwsAsync(gateway.attach(name, 'pm_card_nobody'), { code: 'VALIDATION_ERROR' })
    await gateway.detach(name, card.reference, [])
    await t.notThrowsAsync(gateway.detach(name, card.reference, []))
  },

  async 'a payment is charged once, however often its key is sent'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const charge = { customer, cents: 1500, key: newId() }
    const [one, other] = [await stage.gateway.pay(charge), await stage.gateway.pay(charge)]
    t.deepEqual(one, other)
    t.deepEqual(inBrief(one), { key: charge.key, cents: 1500, status: 'paid', tier: null })
    t.deepEqual((await stage.gateway.look(customer)).payments, [one])
  },

  async 'a refused payment stays refused under its key, and another one is charged to the newest card'(t, stage) {
    const customer = await stage.customer('pm_card_visa', 'pm_card_chargeCustomerFail')
    const charge = { customer, cents: 500, key: newId() }
    const error = await t.throwsAsync(stage.gateway.pay(charge), paymentFailed)
    t.is(error?.message, 'The card was declined. Use another payment method.')
    await stage.gateway.attach(customer, 'pm_card_mastercard')
    await t.throwsAsync(stage.gateway.pay(charge), paymentFailed)
    await stage.gateway.pay({ ...charge, key: newId() })
    t.deepEqual((await brief(stage, customer)).paid.toSorted(), ['500 failed', '500 paid'])
    const refused = (await stage.gateway.look(customer)).payments.find(({ status }) => status === 'failed')
    t.is(refused?.failure, 'The card was declined.')
  },

  async 'the newest card that is left is charged, and without one nothing is'(t, stage) {
    const customer = await stage.customer()
    const { reference: left } = await stage.gateway.attach(customer, 'pm_card_visa')
    const failing = await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    await stage.gateway.detach(customer, failing.reference, [left])
    await t.notThrowsAsync(stage.gateway.pay({ customer, cents: 100, key: newId() }))
    const none = await stage.customer()
    await t.throwsAsync(stage.gateway.pay({ customer: none, cents: 100, key: newId() }), paymentFailed)
    await t.throwsAsync(stage.gateway.subscribe({ customer: none, tier: 'pro', key: newId() }), paymentFailed)
  },

  async 'a subscription begins with a paid month, once for its key'(t, stage) {
    const customer = await stage.customer('pm_card_visa')
    const wanted = { customer, tier: 'pro' as const, key: newId() }
    await stage.gateway.subscribe(wanted)
    await stage.gateway.subscribe(wanted)
    const { subscription, payments } = await stage.gateway.look(customer)
    t.like(subscription, { status: 'active', tier: 'pro', nextTier: null, cancelledAt: null })
    t.is(subscription?.currentPeriodEnd.toISOString(), '2026-12-21T12:00:00.000Z')
    t.deepEqual(payments.map(inBrief), [{ key: wanted.key, cents: 2000, status: 'paid', tier: 'pro' }])
  },

  async 'another subscription beside one that goes on is refused, and charges nothing'(t, stage) {
    const { customer } = await subscribed(stage, 'pro')
    const wanted = { customer, tier: 'team' as const, key: newId() }
    await t.throwsAsync(stage.gateway.subscribe(wanted), { ...ended, message: 'Another subscription goes on already.' })
    t.deepEqual((await brief(stage, customer)).paid, ['2000 paid'])
  },

  async 'a refused first month leaves no subscription'(t, stage) {
    const customer = await stage.customer('pm_card_chargeCustomerFail')
    await t.throwsAsync(stage.gateway.subscribe({ customer, tier: 'pro', key: newId() }), paymentFailed)
    t.is((await stage.gateway.look(customer)).subscription, null)
  },

  async 'an upgrade begins a month, less what is left of the old one'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    stage.clock.forward(days(15))
    const key = newId()
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key }
    await stage.gateway.change(change)
    await stage.gateway.change(change)
    t.deepEqual((await brief(stage, customer)).paid, ['2000 paid', '7000 paid'])
    const { subscription: now, payments } = await stage.gateway.look(customer)
    t.like(now, { tier: 'team', status: 'active', nextTier: null })
    t.is(now?.currentPeriodEnd.toISOString(), '2027-01-06T12:00:00.000Z')
    t.deepEqual(inBrief(payments[0]!), { key, cents: 7000, status: 'paid', tier: 'team' })
  },

  async 'a refused upgrade changes nothing'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    const before = (await stage.gateway.look(customer)).subscription
    await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(10))
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    await t.throwsAsync(stage.gateway.change(change), paymentFailed)
    t.deepEqual((await stage.gateway.look(customer)).subscription, before)
  },

  async 'a downgrade at once credits what is left, which later months use up'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'team')
    stage.clock.forward(days(15))
    await stage.gateway.change({ subscription, tier: 'pro', when: 'now', key: newId() })
    t.deepEqual(await brief(stage, customer), {
      told: 'pro active then the same',
      paid: ['8000 paid', '-2000 paid'],
      creditCents: 2129 - 129,
    })
    stage.clock.forward(days(32))
    t.deepEqual((await brief(stage, customer)).creditCents, 0)
  },

  async 'a downgrade at the end of the period waits for it'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'team')
    await stage.gateway.change({ subscription, tier: 'pro', when: 'period_end', key: newId() })
    t.is((await brief(stage, customer)).told, 'team active then pro')
    stage.clock.forward(days(31))
    t.deepEqual(await brief(stage, customer), {
      told: 'pro active then the same',
      paid: ['8000 paid', '2000 paid'],
      creditCents: 0,
    })
    stage.clock.forward(days(31))
    t.is((await brief(stage, customer)).told, 'pro active then the same')
  },

  async 'a downgrade and a cancellation are taken back'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'team')
    await stage.gateway.change({ subscription, tier: 'pro', when: 'period_end', key: newId() })
    await stage.gateway.keep(subscription)
    t.is((await brief(stage, customer)).told, 'team active then the same')
    await stage.gateway.change({ subscription, tier: 'pro', when: 'period_end', key: newId() })
    await stage.gateway.cancel(subscription, 'period_end')
    const { subscription: cancelled } = await stage.gateway.look(customer)
    t.like(cancelled, { tier: 'team', nextTier: 'free' })
    t.deepEqual(cancelled?.cancelledAt, stage.clock.now())
    await stage.gateway.change({ subscription, tier: 'pro', when: 'period_end', key: newId() })
    t.is((await brief(stage, customer)).told, 'team active then pro')
    await stage.gateway.cancel(subscription, 'period_end')
    await stage.gateway.change({ subscription, tier: 'team', when: 'now', key: newId() })
    t.deepEqual(await brief(stage, customer), {
      told: 'team active then the same',
      paid: ['8000 paid'],
      creditCents: 0,
    })
  },

  async 'a cancelled subscription ends with its period'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    await stage.gateway.cancel(subscription, 'period_end')
    stage.clock.forward(days(31))
    t.deepEqual(await brief(stage, customer), { told: null, paid: ['2000 paid'], creditCents: 0 })
    await t.notThrowsAsync(stage.gateway.cancel(subscription, 'now'))
    await t.throwsAsync(stage.gateway.keep(subscription), ended)
    await t.throwsAsync(stage.gateway.payOverdue(subscription, newId()), ended)
    const change = { subscription, tier: 'team' as const, when: 'now' as const, key: newId() }
    await t.throwsAsync(stage.gateway.change(change), ended)
  },

  async 'a subscription that is cancelled at once credits what is left'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    stage.clock.forward(days(15))
    await stage.gateway.cancel(subscription, 'now')
    t.deepEqual(await brief(stage, customer), { told: null, paid: ['2000 paid', '-1000 paid'], creditCents: 1000 })
    await stage.gateway.subscribe({ customer, tier: 'pro', key: newId() })
    t.deepEqual((await brief(stage, customer)).paid, ['2000 paid', '-1000 paid', '1000 paid, 1000 credited'])
  },

  async 'what is credited pays for months without a card'(t, stage) {
    const { gateway, clock } = stage
    const customer = await gateway.customer(newId())
    const { reference } = await gateway.attach(customer, 'pm_card_visa')
    await gateway.subscribe({ customer, tier: 'team', key: newId() })
    await gateway.cancel((await gateway.look(customer)).subscription!.reference, 'now')
    await gateway.detach(customer, reference, [])
    await gateway.subscribe({ customer, tier: 'pro', key: newId() })
    const paid = ['8000 paid', '-8000 paid', '0 paid, 2000 credited']
    t.deepEqual(await brief(stage, customer), { told: 'pro active then the same', paid, creditCents: 6000 })
    clock.forward(days(30) + 3600)
    t.deepEqual(await brief(stage, customer), {
      told: 'pro active then the same',
      paid: [...paid, '0 paid, 2000 credited'],
      creditCents: 4000,
    })
  },

  async 'a subscription renews each month'(t, stage) {
    const { customer } = await subscribed(stage, 'pro')
    stage.clock.forward(days(50))
    const { subscription, payments } = await stage.gateway.look(customer)
    t.is(subscription?.currentPeriodEnd.toISOString(), '2027-01-21T12:00:00.000Z')
    t.deepEqual(payments.map(inBrief)[0], { key: null, cents: 2000, status: 'paid', tier: 'pro' })
    t.is(payments.length, 2)
  },

  async 'a month that is not paid is overdue until it is'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(30) + 3600)
    const late = await stage.gateway.look(customer)
    t.like(late.subscription, { status: 'past_due', tier: 'pro' })
    t.is(late.subscription?.currentPeriodEnd.toISOString(), '2026-12-21T12:00:00.000Z')
    t.like(late.payments[0], { status: 'failed', failure: 'The card was declined.', key: null })
    await t.throwsAsync(stage.gateway.payOverdue(subscription, newId()), paymentFailed)
    await stage.gateway.attach(customer, 'pm_card_visa')
    const key = newId()
    await stage.gateway.payOverdue(subscription, key)
    await stage.gateway.payOverdue(subscription, key)
    const paid = await stage.gateway.look(customer)
    t.like(paid.subscription, { status: 'active', tier: 'pro' })
    t.is(paid.subscription?.currentPeriodEnd.toISOString(), '2027-01-21T12:00:00.000Z')
    t.deepEqual((await brief(stage, customer)).paid, ['2000 paid', '2000 paid'])
    t.is(paid.payments[0]?.reference, late.payments[0]?.reference)
  },

  async 'an overdue month is tried again, and the subscription ends after the last time'(t, stage) {
    const { customer } = await subscribed(stage, 'pro')
    const { reference: left } = await stage.gateway.attach(customer, 'pm_card_visa')
    const card = await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(31))
    t.is((await brief(stage, customer)).told, 'pro past_due then the same')
    await stage.gateway.detach(customer, card.reference, [left])
    stage.clock.forward(days(3))
    t.is((await brief(stage, customer)).told, 'pro active then the same')
    await stage.gateway.attach(customer, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(36))
    t.deepEqual(await brief(stage, customer), { told: null, paid: ['2000 paid', '2000 failed'], creditCents: 0 })
  },

  async 'a subscription that is overdue ends or changes without the month that was not paid'(t, stage) {
    const { customer, subscription } = await subscribed(stage, 'pro')
    const other = await subscribed(stage, 'pro')
    for (const one of [customer, other.customer]) await stage.gateway.attach(one, 'pm_card_chargeCustomerFail')
    stage.clock.forward(days(30) + 3600)
    t.is((await brief(stage, other.customer)).told, 'pro past_due then the same')
    await stage.gateway.cancel(subscription, 'period_end')
    t.deepEqual(await brief(stage, customer), { told: null, paid: ['2000 paid', '2000 failed'], creditCents: 0 })
    await stage.gateway.attach(other.customer, 'pm_card_visa')
    await stage.gateway.change({ subscription: other.subscription, tier: 'team', when: 'now', key: newId() })
    t.deepEqual(await brief(stage, other.customer), {
      told: 'team active then the same',
      paid: ['2000 paid', '2000 failed', '8000 paid'],
      creditCents: 0,
    })
  },
}
