// @promise payments
import test from 'ava'
import { openBilling } from './open-billing.ts'

type Money = Awaited<ReturnType<typeof openBilling>>

const buy = ({ billing, userId }: Money) => billing.purchases.buy(userId, { credits: 500, requestKey: 'one' })
const subscribe = ({ billing, userId }: Money) => billing.subscriptions.subscribe(userId, { tier: 'pro' })

/** Does it while the gateway loses requests, or its answers to them. */
async function whileLost(
  t: Parameters<typeof openBilling>[0],
  what: 'request' | 'answer',
  act: typeof buy | typeof subscribe,
) {
  const money = await openBilling(t)
  await money.withCard()
  money.lost.what = what
  await t.throwsAsync(act(money), { message: /was lost/ })
  return money
}

for (const what of ['request', 'answer'] as const)
  for (const { deed, act, cents, balance } of [
    { deed: 'a purchase', act: buy, cents: 500, balance: 700 },
    { deed: 'a change', act: subscribe, cents: 2000, balance: 5200 },
  ])
    test(`${deed} whose ${what} was lost is found out by the sweep, and charged and granted once`, async (t) => {
      const money = await whileLost(t, what, act)
      const { billing, charges, clock, ledgerSum, lost, sweep, userId } = money
      t.is((await billing.account(userId)).balance, 200)
      lost.what = undefined
      clock.forward(61)
      await Promise.all([sweep.round(), sweep.round(), act(money)])
      t.deepEqual(await charges(), [cents])
      t.is((await billing.account(userId)).balance, balance)
      t.is(await ledgerSum(), balance)
    })

for (const { what, status, charged } of [
  { what: 'request', status: 'failed', charged: [] },
  { what: 'answer', status: 'paid', charged: [500] },
] as const)
  test(`a purchase whose ${what} was lost for long has ${status}`, async (t) => {
    const { billing, charges, clock, lost, sweep, userId } = await whileLost(t, what, buy)
    const found = async () => (await billing.payments.list(userId, { limit: 1 })).items[0]?.status
    lost.what = undefined
    clock.forward(301)
    await sweep.round()
    t.is(await found(), status === 'paid' ? 'paid' : 'pending')
    clock.forward(600)
    await sweep.round()
    t.is(await found(), status)
    await billing.purchases.buy(userId, { credits: 100 })
    t.deepEqual(await charges(), [...charged, 100])
  })

for (const { what, tier, charged } of [
  { what: 'request', tier: 'free', charged: [] },
  { what: 'answer', tier: 'pro', charged: [2000] },
] as const)
  test(`a change whose ${what} is lost for long is given up, and not made later as a surprise`, async (t) => {
    const { billing, charges, clock, database, lost, sweep, userId } = await whileLost(t, what, subscribe)
    const asked = async () => database('billing_requests').where({ ownerId: userId }).pluck('action')
    clock.forward(61)
    await sweep.round()
    t.deepEqual(await asked(), ['subscribe'])
    t.is((await billing.account(userId)).tier, tier, 'the gateway is asked what has become of it in any case')
    lost.what = undefined
    clock.forward(301)
    await sweep.round()
    t.is((await billing.account(userId)).tier, tier, 'it is not sent any more')
    const busy = await t.throwsAsync(billing.subscriptions.subscribe(userId, { tier: 'team' }))
    t.like(busy, { code: 'RATE_LIMITED', retryAfter: 60 }, 'it may still arrive')
    clock.forward(600)
    await sweep.round()
    t.deepEqual(await asked(), [])
    t.deepEqual(await charges(), charged)
    t.like(await billing.subscriptions.subscribe(userId, { tier: 'team' }), { tier: 'team' })
  })
