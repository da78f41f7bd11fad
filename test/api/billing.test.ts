import test from 'ava'
import * as billing from '../../api/billing.ts'
import { tierNames, tierOf } from '../../src/billing/tiers.ts'
import { call } from '../helpers/client.ts'
import { customer, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const open = forWholeFile(test, 'billing over HTTP', (t) => startPlatform(t))

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

test('the list of tiers says what an account of a tier gets', async (t) => {
  const platform = await open()
  const { items } = (await call(platform, billing.listTiers)).body
  for (const someone of [await person(platform), await customer(platform, 'team')]) {
    const { tier, limits, features, balance } = (await call(someone, billing.getBilling)).body
    const listed = items.find(({ name }) => name === tier)
    t.deepEqual({ limits, features }, { limits: listed?.limits ?? {}, features: listed?.features ?? [] })
    t.is(balance, listed?.creditsPerMonth ?? 0)
  }
})

test('a paid tier is left by DELETE, and GET /billing says when', async (t) => {
  const someone = await customer(await open(), 'pro')
  const { body } = await call(someone, billing.cancelSubscription)
  t.like(body, { tier: 'pro', subscription: { status: 'active' } })
  t.true(new Date(body.subscription?.currentPeriodEnd ?? 0) > new Date())
  t.truthy(body.subscription?.cancelledAt)
  t.deepEqual((await call(someone, billing.getBilling)).body, body)
})
