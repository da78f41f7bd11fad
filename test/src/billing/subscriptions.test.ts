import test from 'ava'
import { createPollGateway } from '../../../src/billing/poll-gateway.ts'
import { newId } from '../../../src/ids.ts'
import { openBilling } from './open-billing.ts'

const day = 86_400

test('subscribing charges the card once and gives the tier for a month, with its credits, however many ask at once', async (t) => {
  const { billing, charges, charge, ledgerSum, userId, withCard } = await openBilling(t)
  const subscribe = (tier: string) => billing.subscriptions.subscribe(userId, { tier })
  await charge(userId, 50)
  await withCard('pm_card_mastercard')
  const [account, ...others] = await Promise.all(Array.from({ length: 6 }, () => subscribe('pro')))
  const currentPeriodEnd = new Date('2026-12-21T12:00:00.000Z')
  t.like(account, { tier: 'pro', limits: { agents: 25 }, balance: 200 + 5000 - 50 })
  const subscription = { tier: 'pro', status: 'active', currentPeriodEnd, nextTier: null, cancelledAt: null } as const
  t.deepEqual(account?.subscription, subscription)
  for (const other of [...others, await subscribe('pro'), await billing.account(userId)]) t.deepEqual(other, account)
  t.deepEqual(await charges(), [2000])
  t.is(await ledgerSum(), 200 + 5000 - 50)
  await Promise.all(['team', 'enterprise', 'team'].map(subscribe))
  t.is((await billing.account(userId)).subscription?.status, 'active', 'other tiers follow one after the other')
})

test('a month that is left at once is credited to later payments, and its share of the credits is taken back', async (t) => {
  const { billing, clock, charges, charge, ledgerSum, userId, withCard } = await openBilling(t)
  await withCard()
  await billing.subscriptions.subscribe(userId, { tier: 'enterprise' })
  await charge(userId, 900_000)
  clock.forward(15 * day)
  t.like(await billing.subscriptions.cancel(userId, 'now'), { tier: 'free', subscription: null })
  // The free tier grants November and December.
  t.is(await ledgerSum(), 200 + 1_000_000 - 900_000 - 500_000 + 200)
  await billing.subscriptions.subscribe(userId, { tier: 'team' })
  t.deepEqual(await charges(), [100_000, -50_000, 0])
  const { items } = await billing.payments.list(userId, { limit: 10 })
  const told = items.map(({ cents, tier, status }) => `${cents} ${tier} ${status}`)
  t.deepEqual(told.toSorted(), ['-50000 enterprise paid', '0 team paid', '100000 enterprise paid'])
})

// @promise subscriptions
test('a month gives its credits once however it is entered and left, and none for nothing', async (t) => {
  const { billing, clock, ledgerSum, sandbox, sweep, userId, withCard } = await openBilling(t)
  const { subscribe, cancel } = billing.subscriptions
  await withCard()
  clock.forward(9 * day)
  await subscribe(userId, { tier: 'pro' })
  clock.forward(day)
  t.is((await billing.account(userId)).balance, 5200, 'the turn of a calendar month grants nothing')
  await cancel(userId, 'now')
  await subscribe(userId, { tier: 'pro' })
  await cancel(userId, 'now')
  t.is(await ledgerSum(), 200 + 168 + 200, 'a day of pro, and two months of free')
  await subscribe(userId, { tier: 'pro' })
  clock.forward(31 * day)
  await sweep.round()
  t.is(await ledgerSum(), 568 + 10_000)
  await cancel(userId, 'now')
  t.is(await ledgerSum(), 568 + 5000 + 200, 'the month before was paid in full, and January is of the free tier')
  await subscribe(userId, { tier: 'team' })
  await subscribe(userId, { tier: 'pro', when: 'now' })
  t.is(await ledgerSum(), 5768 + 5000, 'a lower tier at once takes those of the higher one back')
  clock.forward(31 * day)
  await sandbox.readState(`sandbox_${userId}`)
  await cancel(userId, 'now')
  t.is(await ledgerSum(), 10_768 + 200, 'of a month that was never granted nothing goes back')
})

test('a subscription renews by itself from the newest card, in one process only, and each month is granted', async (t) => {
  const { billing, clock, charges, sweep, userId, withCard } = await openBilling(t)
  await withCard('pm_card_chargeCustomerFail')
  await withCard()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  clock.forward(30 * day)
  t.is((await billing.account(userId)).balance, 5200, 'another month is granted once the gateway says that it is paid')
  await Promise.all([sweep.round(), sweep.round(), sweep.round()])
  t.like(await billing.account(userId), { subscription: { status: 'active' }, balance: 10_200 })
  t.deepEqual(await charges(), [2000, 2000])
})

test('a renewal that fails is past due, is tried again, and is over after a week, and its owner is told of each', async (t) => {
  const { billing, clock, charges, notifications, sweep, userId, withCard, withUser } = await openBilling(t)
  const told = async () =>
    (await notifications.list(userId, { limit: 10 })).items.map(
      ({ kind, dedupeKey }) => `${kind} ${dedupeKey.slice(0, 10)}`,
    )
  const card = await withUser()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  await billing.paymentMethods.remove(userId, card.id)
  clock.forward(30 * day)
  await sweep.round()
  t.like(await billing.account(userId), { tier: 'pro', subscription: { status: 'past_due' } })
  t.deepEqual(await told(), ['subscription_past_due 2026-12-21'])
  t.like(await t.throwsAsync(billing.subscriptions.subscribe(userId, { tier: 'pro' })), { code: 'NO_PAYMENT_METHOD' })
  t.like(await t.throwsAsync(billing.purchases.buy(userId, { credits: 100 })), { code: 'SUBSCRIPTION_PAST_DUE' })
  await withCard()
  clock.forward(day)
  await sweep.round()
  t.like(await billing.account(userId), { subscription: { status: 'active' } }, 'the card is charged a day later')
  t.deepEqual(await charges(), [2000, 2000])
  for (const { id } of await billing.paymentMethods.list(userId)) await billing.paymentMethods.remove(userId, id)
  clock.forward(31 * day)
  await sweep.round()
  t.like(await billing.account(userId), { subscription: { status: 'past_due' } })
  clock.forward(8 * day)
  await sweep.round()
  t.like(await billing.account(userId), { tier: 'free', subscription: null })
  t.deepEqual(await told(), [
    'subscription_ended 2027-01-21',
    'subscription_past_due 2027-01-21',
    'subscription_past_due 2026-12-21',
  ])
})

// @promise subscriptions
test('a lower tier takes the place of a month that is overdue, which nobody pays then', async (t) => {
  for (const following of ['enterprise', 'team'] as const) {
    const { billing, clock, charges, ledgerSum, sweep, userId, withCard, withUser } = await openBilling(t)
    await withUser()
    await billing.subscriptions.subscribe(userId, { tier: 'team' })
    await billing.subscriptions.subscribe(userId, { tier: following, when: 'period_end' })
    await withCard('pm_card_chargeCustomerFail')
    clock.forward(30 * day)
    await sweep.round()
    await t.throwsAsync(billing.subscriptions.subscribe(userId, { tier: 'pro' }), { message: /declined/ })
    t.like(await billing.account(userId), { tier: 'team', subscription: { status: 'past_due' } })
    await withCard()
    t.like(await billing.subscriptions.subscribe(userId, { tier: 'pro' }), {
      tier: 'pro',
      subscription: { status: 'active', nextTier: null },
    })
    t.deepEqual(await charges(), [8000, 2000])
    t.is(await ledgerSum(), 200 + 20_000 + 5000)
  }
})

// @promise subscriptions
test('a cancelled subscription is kept for the paid month, then the free tier follows; subscribing again takes it back', async (t) => {
  const { billing, clock, charges, sweep, userId, withCard } = await openBilling(t)
  await withCard()
  t.like(await t.throwsAsync(billing.subscriptions.cancel(userId)), { code: 'NOT_FOUND' })
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  const cancelledAt = clock.now()
  const cancelled = { tier: 'pro', subscription: { status: 'active', nextTier: 'free', cancelledAt } }
  t.like(await billing.subscriptions.cancel(userId), cancelled)
  clock.forward(day)
  t.like(await billing.subscriptions.cancel(userId), cancelled, 'the first time counts')
  t.like(await billing.subscriptions.subscribe(userId, { tier: 'pro' }), {
    subscription: { nextTier: null, cancelledAt: null },
  })
  await billing.subscriptions.cancel(userId)
  clock.forward(29 * day)
  await sweep.round()
  t.like(await billing.account(userId), { tier: 'free', subscription: null, limits: { agents: 3 } })
  t.deepEqual(await charges(), [2000])
})

test('a change of a subscription that has ended at the gateway meanwhile begins another one', async (t) => {
  const { billing, charges, database, sandbox, userId, withCard } = await openBilling(t)
  await withCard()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  const { subscription } = (await database('accounts').where({ ownerId: userId }).first('subscription')) ?? {}
  await sandbox.cancel(String(subscription), 'now')
  t.like(await billing.subscriptions.subscribe(userId, { tier: 'team' }), { tier: 'team' })
  t.deepEqual(await charges(), [2000, -2000, 6000])
})

test('a look that began earlier changes nothing once a later one was applied', async (t) => {
  const { billing, database, sandbox, userId, withCard } = await openBilling(t)
  await withCard()
  await billing.subscriptions.subscribe(userId, { tier: 'pro' })
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const customer = await billing.polling.customerOf(userId)
  const stale = await sandbox.readState(customer)
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  // This one has read the world, and is slow to tell.
  const slow = { ...sandbox, readState: async () => (isAsked(), await late, stale) }
  const { credits, payments } = billing
  const clock = { now: () => new Date() }
  const nobody = { due: { owner: async () => {} }, overdue: { notifyChange: async () => {} } }
  const early = createPollGateway({ database, clock, gateway: slow, credits, payments, ...nobody })
  const slowly = early.poll(userId)
  await asked
  await billing.subscriptions.subscribe(userId, { tier: 'team' })
  resolve()
  await slowly
  t.is((await billing.account(userId)).tier, 'team')
})

test('of a customer whom the gateway does not know any more, the cards are forgotten, and no others', async (t) => {
  const { billing, database, sandbox, userId, withCard } = await openBilling(t)
  const [other, customer] = [newId(), 'sandbox_anew']
  await withCard()
  await billing.paymentMethods.add(other, { paymentMethod: 'pm_card_visa' })
  const gateway = { ...sandbox, customer: async () => customer }
  const nobody = { due: { owner: async () => {} }, overdue: { notifyChange: async () => {} } }
  const polling = createPollGateway({ ...billing, database, clock: { now: () => new Date() }, gateway, ...nobody })
  t.is(await polling.customerOf(userId), customer)
  const left = [await billing.paymentMethods.list(userId), await billing.paymentMethods.list(other)]
  t.deepEqual(
    left.map(({ length }) => length),
    [0, 1],
  )
})
