import test from 'ava'
import * as adminClock from '../../api/admin-clock.ts'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import { tierNames, tierOf } from '../../src/billing/tiers.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { customer, person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { userIdOf } from '../helpers/workspaces.ts'

const open = sharedPlatform(test, 'idle')

test('anyone can read the tiers: prices, credits, features and limits, with null for unlimited', async (t) => {
  const { items } = (await call({ url: (await open()).url }, billing.listTiers)).body
  t.deepEqual(
    items.map(({ name, centsPerMonth, creditsPerMonth, currency }) => [name, centsPerMonth, creditsPerMonth, currency]),
    [
      ['free', 0, 200, 'usd'],
      ['pro', 2000, 5000, 'usd'],
      ['team', 8000, 20_000, 'usd'],
      ['enterprise', 100_000, 1_000_000, 'usd'],
    ],
  )
  for (const [index, name] of tierNames.entries()) {
    const { limits, features } = tierOf(name)
    const finite = Object.entries(limits).map(([of, limit]) => [of, limit === Infinity ? null : limit])
    t.deepEqual(items[index]?.limits, Object.fromEntries(finite), name)
    t.deepEqual(items[index]?.features, [...features], name)
  }
  t.is(items[3]?.limits['agents'], null)
})

test('what was credited pays for a later tier, is shown, and is enough without a card', async (t) => {
  const someone = await customer(await open(), 'team')
  const left = (await call(someone, billing.cancelSubscription, { query: { when: 'now' } })).body
  t.like(left, { tier: 'free', creditCents: 8000 }, 'nothing of the month is gone')
  for (const { id: paymentMethodId } of (await call(someone, billing.listPaymentMethods)).body.items)
    await call(someone, billing.removePaymentMethod, { params: { paymentMethodId } })
  t.is((await call(someone, billing.subscribe, { body: { tier: 'enterprise' } })).failure.code, 'NO_PAYMENT_METHOD')
  const { body } = await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  t.like(body, { tier: 'pro', creditCents: 6000 })
  const { items } = (await call(someone, payments.listPayments)).body
  const lines = items.map(({ cents, tier, fromCreditCents }) => `${cents} ${tier} ${fromCreditCents}`)
  t.deepEqual(lines.toSorted(), ['-8000 team 0', '0 pro 2000', '8000 team 0'])
})

test('a purchase that has failed stays so under its key, and its answer says how to try again', async (t) => {
  const someone = await person(await open())
  await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_chargeCustomerFail' } })
  const headers = { 'Idempotency-Key': 'one' }
  const buy = () => call(someone, payments.buyCredits, { headers, body: { credits: 100 } })
  const [first, second] = [(await buy()).failure, (await buy()).failure]
  t.is(first.code, 'PAYMENT_FAILED')
  t.false(first.error.includes('Idempotency-Key'))
  t.is(second.code, 'PAYMENT_FAILED')
  t.true(second.error.startsWith(first.error) && second.error.endsWith('To try again, use a new key.'))
})

test('a ceiling that is too low for one purchase is refused, and the answer says how low it may be', async (t) => {
  const someone = await customer(await open())
  const bounds = { isOn: true, below: 1, credits: 500 }
  const { failure } = await call(someone, payments.setTopUp, { body: { ...bounds, centsPerMonth: 499 } })
  t.is(failure.code, 'VALIDATION_ERROR')
  t.like(failure.details?.[0], { path: 'centsPerMonth' })
  t.regex(failure.details?.[0]?.message ?? '', /at least 500,/)
  t.is((await call(someone, payments.setTopUp, { body: { ...bounds, centsPerMonth: 500 } })).status, 200)
})

test('payments are listed by the time of the account, which may be ahead', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const boss = await adminOf(platform)
  const userId = await userIdOf(someone)
  const advance = (days: number) =>
    call(boss, adminClock.advanceClock, { params: { userId }, body: { seconds: days * 86_400 } })
  for (const days of [40, 40]) {
    await advance(days)
    await call(someone, payments.buyCredits, { body: { credits: 100 } }).then(({ body }) => body)
  }
  const { items } = (await call(someone, payments.listPayments)).body
  const cents = items.map((payment) => payment.cents)
  t.deepEqual(cents, [100, 2000, 100, 2000, 2000])
  const since = items[0]?.createdAt ?? ''
  const latest = (await call(someone, payments.listPayments, { query: { since } })).body.items
  t.deepEqual(latest, items.slice(0, 1))
})
