import test from 'ava'
import { monthsAfter, shareLeft } from '../../../../../src/billing/gateways/sandbox/months.ts'
import * as rules from '../../../../../src/billing/gateways/sandbox/rules.ts'
import { paidTierNames, tierOf, type PaidTierName } from '../../../../../src/billing/tiers.ts'
import { chance } from '../../../../money/chance.ts'
import { Subscriber } from '../../../../money/subscriber.ts'

const dayMs = 86_400_000
const at = (text: string): Date => new Date(`${text}T00:00:00.000Z`)

const worldWith = (card: string | null): rules.World => ({ creditCents: 0, card, subscription: null, payments: [] })

test('a subscription renews on its day, or on the last day of a month without it, and comes back to its day', (t) => {
  const ends = (anchor: string, months: number) => monthsAfter(at(anchor), months).toISOString().slice(0, 10)
  t.is(ends('2026-11-21', 1), '2026-12-21')
  t.is(ends('2027-01-31', 1), '2027-02-28')
  t.is(ends('2027-01-31', 2), '2027-03-31')
  t.is(ends('2028-01-30', 1), '2028-02-29')
  t.is(ends('2027-03-31', -1), '2027-02-28')
  const world = worldWith('pm_card_visa')
  rules.subscribe(world, { tier: 'pro', key: 'k' }, at('2027-01-31'))
  rules.settle(world, at('2027-05-31'))
  t.deepEqual(
    world.payments.map(({ createdAt, cents }) => [createdAt.toISOString().slice(0, 10), cents]),
    ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31'].map((day) => [day, 2000]),
  )
})

test('what is left of a month is its share of the milliseconds, to the nearest cent, halves up', (t) => {
  const month = { start: at('2026-11-01'), end: at('2026-12-01') }
  t.is(shareLeft(2000, month, at('2026-11-01')), 2000)
  t.is(shareLeft(2000, month, at('2026-11-16')), 1000)
  t.is(shareLeft(2000, month, at('2026-11-11')), 1333)
  t.is(shareLeft(2000, month, at('2026-11-21')), 667)
  t.is(shareLeft(1, month, at('2026-11-16')), 1)
  t.is(shareLeft(2000, month, at('2026-12-01')), 0)
  t.is(shareLeft(100_000, month, new Date(month.end.getTime() - 1)), 0)
})

// The cases of all gateways say what comes of each step; here is what comes of very many.
test('two years of renewals, failures, changes and cancellations come out as an independent model says', (t) => {
  const offers = [{ name: 'free', centsPerMonth: 0, creditsPerMonth: 0 }].concat(
    paidTierNames.map((name) => ({ name, centsPerMonth: tierOf(name).centsPerMonth, creditsPerMonth: 0 })),
  )
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = chance(seed)
    const start = at('2027-01-01').getTime()
    const [world, model] = [worldWith('pm_card_visa'), new Subscriber(offers, start)]
    model.card = 'good'
    for (let days = 1; days <= 730; days += 1) {
      const now = new Date(start + days * dayMs)
      rules.settle(world, now)
      model.advance(dayMs)
      const { subscription } = world
      const [lot, tier, when] = [
        random.whole(0, 99),
        random.of(paidTierNames as [PaidTierName]),
        random.of(['now', 'period_end'] as const),
      ]
      const key = String(days)
      if (lot < 4 && subscription?.status !== 'past_due') {
        model.subscribe(tier, when)
        if (subscription) rules.change(world, subscription, { tier, when, key }, now)
        else rules.subscribe(world, { tier, key }, now)
      } else if (lot === 5 && subscription) {
        model.cancel(when)
        rules.cancel(world, subscription, when, now)
      } else if (lot < 9) {
        // As long as a card is good, what is overdue is paid when it is tried again.
        model.card = model.card === 'good' ? 'bad' : 'good'
        world.card = model.card === 'good' ? 'pm_card_visa' : 'pm_card_chargeCustomerFail'
      }
      const own = world.subscription
      const seen = {
        creditCents: world.creditCents,
        status: own?.status ?? null,
        end: own && rules.periodEnd(own).toISOString(),
        charged: world.payments.map(({ cents, fromCreditCents, status }) => ({ cents, fromCreditCents, status })),
      }
      const { creditCents, status, currentPeriodEnd: end } = model.seen
      t.deepEqual(seen, { creditCents, status, end, charged: model.charged }, `seed ${seed}, day ${days}`)
    }
  }
})
