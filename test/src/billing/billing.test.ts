import test from 'ava'
import { monthAfter } from '../../../src/billing/billing.ts'
import { newId } from '../../../src/ids.ts'
import { openBilling } from './open-billing.ts'

const day = 86_400

test('subscribing charges the card and gives the tier for a month, with the credits of its month less those granted', async (t) => {
  const { billing, charges, charge, ledgerSum, userId } = await openBilling(t)
  await charge(userId, 50)
  await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_visa' })
  const account = await billing.subscribe(userId, { tier: 'pro' })
  const currentPeriodEnd = new Date('2026-12-21T12:00:00.000Z')
  t.like(account, { tier: 'pro', limits: { agents: 25 }, balance: 5000 - 50 })
  t.deepEqual(account.subscription, { tier: 'pro', status: 'active', currentPeriodEnd })
  t.deepEqual(await billing.account(userId), account)
  t.deepEqual(
    charges.map(({ reference, cents }) => [reference, cents]),
    [['pm_card_visa', 2000]],
  )
  t.like(await billing.subscribe(userId, { tier: 'team' }), { tier: 'team', balance: 20_000 - 50 })
  t.like(await billing.subscribe(userId, { tier: 'pro' }), { tier: 'pro', balance: 20_000 - 50 })
  t.is(await ledgerSum(userId), 20_000 - 50)
})

test('repeating a subscription does not charge again, and parallel requests share one idempotency key', async (t) => {
  const { billing, charges, userId } = await openBilling(t)
  await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_mastercard' })
  const answers = await Promise.all([1, 2, 3].map(() => billing.subscribe(userId, { tier: 'pro' })))
  for (const answer of answers) t.deepEqual(answer, answers[0])
  t.is(new Set(charges.map(({ idempotencyKey }) => idempotencyKey)).size, 1)
  const before = charges.length
  await billing.subscribe(userId, { tier: 'pro' })
  t.is(charges.length, before)
})

test('a subscription whose month is over is past due, gets no further grant, and is renewed by paying', async (t) => {
  const { billing, clock, charges, userId } = await openBilling(t)
  await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_visa' })
  const paid = await billing.subscribe(userId, { tier: 'pro' })
  t.notThrows(() => billing.requireGoodStanding(paid))
  clock.forward(30 * day)
  const late = await billing.account(userId)
  t.like(late, { tier: 'pro', subscription: { status: 'past_due' }, balance: 5000 })
  t.like(
    t.throws(() => billing.requireGoodStanding(late)),
    { code: 'SUBSCRIPTION_PAST_DUE' },
  )
  const renewed = await billing.subscribe(userId, { tier: 'pro' })
  t.like(renewed, { subscription: { status: 'active' }, balance: 10_000 })
  t.is(charges.length, 2)
  t.not(charges[0]?.idempotencyKey, charges[1]?.idempotencyKey)
})

test('without a card nothing can be subscribed to, and a declined charge changes nothing', async (t) => {
  const { billing, userId } = await openBilling(t)
  t.like(await t.throwsAsync(billing.subscribe(userId, { tier: 'pro' })), { code: 'NO_PAYMENT_METHOD' })
  await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_chargeCustomerFail' })
  t.like(await t.throwsAsync(billing.subscribe(userId, { tier: 'pro' })), { code: 'PAYMENT_FAILED' })
  t.like(await billing.account(userId), { tier: 'free', subscription: null, balance: 200 })
  await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_visa' })
  t.like(await billing.subscribe(userId, { tier: 'pro' }), { tier: 'pro' })
})

test('only paid tiers can be subscribed to', async (t) => {
  const { billing, userId } = await openBilling(t)
  for (const tier of ['free', 'gold', '', 'constructor', '__proto__'])
    t.like(await t.throwsAsync(billing.subscribe(userId, { tier })), {
      code: 'VALIDATION_ERROR',
      details: { 0: { path: 'tier' } },
    })
})

test('cards are listed newest first and removed by their owner only', async (t) => {
  const { billing, clock, userId } = await openBilling(t)
  const visa = await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_visa' })
  const master = await billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_mastercard' })
  t.deepEqual(visa, { id: visa.id, brand: 'visa', last4: '4242', createdAt: clock.now() })
  t.deepEqual(await billing.paymentMethods(userId), [master, visa])
  t.deepEqual(await billing.paymentMethods(newId()), [])
  t.like(await t.throwsAsync(billing.removePaymentMethod(newId(), visa.id)), { code: 'NOT_FOUND' })
  await billing.removePaymentMethod(userId, visa.id)
  t.like(await t.throwsAsync(billing.removePaymentMethod(userId, visa.id)), { code: 'NOT_FOUND' })
  t.deepEqual(await billing.paymentMethods(userId), [master])
})

test('a card is refused when the gateway refuses it, and names it does not know are not valid', async (t) => {
  const { billing, userId } = await openBilling(t)
  const add = (paymentMethod: string) => billing.addPaymentMethod(userId, { paymentMethod })
  t.like(await t.throwsAsync(add('pm_card_chargeDeclined')), { code: 'PAYMENT_FAILED' })
  for (const unknown of ['4242424242424242', '', 'constructor'])
    t.like(await t.throwsAsync(add(unknown)), { code: 'VALIDATION_ERROR', details: { 0: { path: 'paymentMethod' } } })
  t.deepEqual(await billing.paymentMethods(userId), [])
})

test('there is room for twenty cards, also between parallel requests', async (t) => {
  const { billing, userId } = await openBilling(t)
  const add = () => billing.addPaymentMethod(userId, { paymentMethod: 'pm_card_visa' })
  const results = await Promise.allSettled(Array.from({ length: 23 }, add))
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 20)
  t.like(await t.throwsAsync(add()), { code: 'FEATURE_LIMIT_REACHED' })
})

test('a paid month ends on the same day of the next month, or on its last day', (t) => {
  const ends = (start: string) => monthAfter(new Date(start)).toISOString()
  t.is(ends('2026-11-21T12:00:00.000Z'), '2026-12-21T12:00:00.000Z')
  t.is(ends('2026-12-31T23:59:59.999Z'), '2027-01-31T23:59:59.999Z')
  t.is(ends('2027-01-31T00:00:00.000Z'), '2027-02-28T00:00:00.000Z')
  t.is(ends('2028-01-30T00:00:00.000Z'), '2028-02-29T00:00:00.000Z')
})
