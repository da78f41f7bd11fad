import test from 'ava'
import { createAccountSweep } from '../../../src/billing/account-sweep.ts'
import { createLogger } from '../../../src/logger.ts'
import { testConfig } from '../../helpers/config.ts'
import { billingForFile, openBilling } from './open-billing.ts'

const openBesideOthers = billingForFile(test)
const day = 86_400

test('credits are bought for what they cost, once for each key, however many ask at once', async (t) => {
  const { billing, charges, ledgerSum, userId, withCard } = await openBilling(t)
  await withCard()
  const wanted = { credits: 1000, requestKey: 'one' }
  const bought = await Promise.all(Array.from({ length: 8 }, () => billing.purchases.buy(userId, wanted)))
  t.is(new Set(bought.map(({ id }) => id)).size, 1)
  t.like(bought[0], { status: 'paid', cents: 1000, credits: 1000, purpose: 'credits' })
  t.deepEqual(await charges(), [1000])
  t.is((await billing.account(userId)).balance, 1200)
  t.is(await ledgerSum(), 1200)
  const other = billing.purchases.buy(userId, { ...wanted, credits: 2000 })
  t.like(await t.throwsAsync(other), { code: 'VALIDATION_ERROR' })
  await Promise.all([1, 2, 3].map(() => billing.purchases.buy(userId, { credits: 100 })))
  t.deepEqual(await charges(), [1000, 100, 100, 100], 'without a key each is a purchase')
})

const topUp = { enabled: true, below: 100, credits: 500, centsPerMonth: 1200 }

test('nothing of another account counts: its card, its key, what it buys just now, and what it has spent', async (t) => {
  const [one, other] = [await openBesideOthers(), await openBesideOthers()]
  await one.withCard()
  await one.billing.topUps.set(one.userId, { ...topUp, below: 300 })
  const switchedOn = other.billing.topUps.set(other.userId, topUp)
  t.like(await t.throwsAsync(switchedOn), { code: 'NO_PAYMENT_METHOD' })
  await other.withCard()
  one.lost.what = 'answer'
  await t.throwsAsync(one.billing.purchases.buy(one.userId, { credits: 1000, requestKey: 'a' }))
  for (const credits of [400, 600]) {
    const bought = await other.billing.purchases.buy(other.userId, { credits, requestKey: credits === 400 ? 'a' : 'b' })
    t.like(bought, { ownerId: other.userId, status: 'paid', credits })
  }
  const { items } = await one.billing.payments.list(one.userId, { limit: 10 })
  t.deepEqual(items.map(({ credits, status }) => `${credits} ${status}`).toSorted(), ['1000 pending', '500 paid'])
  t.like(await other.billing.topUps.read(other.userId), { spentCents: 0 }, 'nor what is bought otherwise')
})

test('nothing is bought automatically without a card, while a month is overdue, or for an account that is to be deleted', async (t) => {
  const { billing, charge, clock, database, sweep, userId, withCard, withUser } = await openBilling(t)
  const { id } = await withUser()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  await billing.topUps.set(userId, { ...topUp, centsPerMonth: 5000 })
  await billing.paymentMethods.remove(userId, id)
  await charge(userId, 15_900)
  await sweep.round()
  await withCard('pm_card_chargeCustomerFail')
  clock.forward(31 * day)
  await sweep.round()
  t.is((await billing.account(userId)).subscription?.status, 'past_due')
  await withCard()
  const marked = { ownerId: userId, requestedAt: clock.now(), dueAt: clock.now(), nextAt: clock.now() }
  await database('deletions').insert(marked)
  clock.forward(8 * day)
  for (const _ of ['the end of the subscription', 'nothing is overdue']) await sweep.attend(userId)
  t.deepEqual(await database('payments').where({ ownerId: userId, purpose: 'top_up' }), [])
  t.like(await billing.topUps.read(userId), { enabled: true, failures: 0 })
})

test('what somebody asks for while an account is attended to is done next', async (t) => {
  const { billing, clock, database, userId } = await openBilling(t)
  await billing.account(userId)
  const lookAt = clock.now()
  const asked = () => database('accounts').where({ ownerId: userId }).update({ lookAt, fittedTier: 'free' })
  let fits = 0
  const fit = async () => void ((fits += 1) === 1 && (await asked()))
  const exceeding = { fit, afterChange: async () => undefined }
  const config = { billing: testConfig('postgres://unused').billing }
  const sweep = createAccountSweep({
    database,
    clock,
    config,
    billing,
    exceeding,
    logger: createLogger('silent', 'test'),
  })
  await asked()
  await sweep.round()
  t.is(fits, 2)
})

test('credits are bought automatically once the balance is below the threshold, up to the ceiling of the month', async (t) => {
  const { billing, charge, charges, clock, sweep, userId, withCard } = await openBilling(t)
  t.like(await t.throwsAsync(billing.topUps.set(userId, topUp)), { code: 'NO_PAYMENT_METHOD' })
  await withCard()
  t.like(await billing.topUps.set(userId, topUp), { enabled: true, spentCents: 0 })
  await charge(userId, 101)
  await Promise.all([sweep.round(), sweep.round()])
  t.is((await billing.account(userId)).balance, 599)
  await charge(userId, 590)
  await sweep.round()
  t.like(await billing.topUps.read(userId), { spentCents: 1000 })
  await charge(userId, 500)
  await sweep.round()
  t.is((await billing.account(userId)).balance, 9, 'a third one would exceed the ceiling')
  await billing.topUps.set(userId, { ...topUp, centsPerMonth: 1499 })
  t.deepEqual(await charges(), [500, 500], 'also by a cent')
  await billing.topUps.set(userId, { ...topUp, centsPerMonth: 1500 })
  t.deepEqual(await charges(), [500, 500, 500])
  await charge(userId, 500)
  clock.forward(11 * day)
  await sweep.round()
  t.deepEqual(await charges(), [500, 500, 500], 'the credits of December are enough')
  t.is((await billing.account(userId)).balance, 209)
})

test('a balance that falls below the threshold because credits expire is topped up, too', async (t) => {
  for (const isRead of [true, false]) {
    const { billing, charges, clock, database, sweep, userId, withCard } = await openBilling(t)
    await withCard()
    const expiresAt = new Date(clock.now().getTime() + 60_000)
    const given = { kind: 'promotion', credits: 1000, expiresAt } as const
    await database.transaction((trx) => billing.credits.grant(trx, userId, given))
    await billing.topUps.set(userId, { ...topUp, below: 300 })
    await sweep.round()
    t.deepEqual(await charges(), [])
    clock.forward(61)
    // Whoever reads the account notices that they have expired; otherwise the housekeeping does.
    if (isRead) await billing.account(userId)
    else await billing.credits.sweep()
    await sweep.round()
    t.deepEqual(await charges(), [500])
    t.is((await billing.account(userId)).balance, 700)
  }
})

test('credits are bought until the balance is not below, not again at once after a failure, and again when a month begins', async (t) => {
  const { billing, charge, charges, clock, sweep, userId, withCard } = await openBilling(t)
  await withCard()
  await billing.topUps.set(userId, { ...topUp, centsPerMonth: 3100 })
  await charge(userId, 1150)
  await sweep.round()
  t.deepEqual(await charges(), [500, 500, 500], 'one after the other')
  t.is((await billing.account(userId)).balance, 550)
  await withCard('pm_card_chargeCustomerFail')
  await charge(userId, 1000)
  for (const seconds of [0, 61, 61]) {
    clock.forward(seconds)
    // Whatever the reason is for attending to the account.
    await Promise.all([sweep.attend(userId), sweep.attend(userId)])
  }
  t.like(await billing.topUps.read(userId), { enabled: true, failures: 1 })
  await withCard()
  await sweep.round()
  t.is((await billing.account(userId)).balance, 550 - 1000 + 500 + 500, 'a new card is charged at once')
  t.like(await billing.topUps.read(userId), { failures: 0, spentCents: 2500 })
  await charge(userId, 4000)
  await sweep.round()
  t.like(await billing.topUps.read(userId), { spentCents: 3000 })
  clock.forward(10 * day)
  await sweep.round()
  const { balance } = await billing.account(userId)
  t.is(balance, 550 - 4000 + 500 + 200 + 3000, 'December has a ceiling of its own')
})

// @promise payments
test('after three failures in a row nothing is bought automatically any more, and the owner is told once', async (t) => {
  const { billing, charge, clock, database, sweep, userId, withCard, withUser } = await openBilling(t)
  await withUser()
  await withCard('pm_card_chargeCustomerFail')
  await billing.topUps.set(userId, topUp)
  await charge(userId, 150)
  const forHours = async () => {
    for (let hours = 0; hours < 6; hours += 1) {
      await sweep.round()
      clock.forward(3601)
    }
    t.like(await billing.topUps.read(userId), { enabled: false, failures: 3 })
  }
  await forHours()
  const { length } = await database('payments').where({ ownerId: userId, purpose: 'top_up' })
  t.is(length, 3)
  t.is((await database('notifications').where({ ownerId: userId, kind: 'top_up_off' })).length, 1)
  for (const _ of ['switched on again', 'and tried again at once'])
    t.like(await billing.topUps.set(userId, topUp), { enabled: true, failures: 1 })
  await forHours()
  t.is((await database('notifications').where({ ownerId: userId, kind: 'top_up_off' })).length, 2)
})

test('a clock that is advanced renews, grants and gives up in order, for this account alone', async (t) => {
  const { billing, charges, ledgerSum, sandboxClock, userId, withUser } = await openBilling(t)
  await withUser()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  const atOnce = await Promise.allSettled([31, 31].map((days) => sandboxClock.advance(userId, days * day)))
  const [refused, ...more] = atOnce.filter(({ status }) => status === 'rejected')
  t.like(refused, { reason: { code: 'RATE_LIMITED' } }, 'one step at a time')
  t.is(more.length, 0)
  const now = await sandboxClock.advance(userId, 31 * day)
  t.is(now.toISOString(), '2027-01-22T12:00:00.000Z')
  t.deepEqual(await charges(), [2000, 2000, 2000])
  t.is(await ledgerSum(), 200 + 15_000)
  for (const { id } of await billing.paymentMethods.list(userId)) await billing.paymentMethods.remove(userId, id)
  await sandboxClock.advance(userId, 31 * day)
  t.like(await billing.account(userId), { tier: 'pro', subscription: { status: 'past_due' }, balance: 15_200 })
  await sandboxClock.advance(userId, 7 * day)
  t.like(await billing.account(userId), { tier: 'free', subscription: null })
  t.is((await billing.account(userId)).balance, 15_200 + 400, 'the free tier grants February and March')
  const again = t.throwsAsync(sandboxClock.advance('0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10', day))
  t.like(await again, { code: 'NOT_FOUND' })
})
