import test from 'ava'
import { monthsAfter, shareLeft } from '../../../../../src/billing/gateways/sandbox/months.ts'
import * as rules from '../../../../../src/billing/gateways/sandbox/rules.ts'
import { paidTierNames, tierOf, type PaidTierName } from '../../../../../src/billing/tiers.ts'

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

test('a renewal that fails is tried again after 1, 3, 5 and 7 days; its payment is the same until the subscription ends', (t) => {
  const world = worldWith('pm_card_visa')
  rules.subscribe(world, { tier: 'team', key: 'k' }, at('2026-11-01'))
  world.card = null
  const states = [30, 31, 33, 35, 36].map((days) => {
    rules.settle(world, new Date(at('2026-11-01').getTime() + days * dayMs))
    return [world.subscription?.status, world.subscription?.retries]
  })
  t.deepEqual(states, [
    ['past_due', 0],
    ['past_due', 1],
    ['past_due', 2],
    ['past_due', 3],
    ['past_due', 3],
  ])
  rules.settle(world, at('2026-12-08'))
  t.is(world.subscription, null)
  t.deepEqual(
    world.payments.map(({ status }) => status),
    ['paid', 'failed'],
  )
})

/** A world whose team subscription was not paid on 1 December, nor when that was tried again. */
function overdueWorld() {
  const world = worldWith('pm_card_visa')
  rules.subscribe(world, { tier: 'team', key: 'k' }, at('2026-11-01'))
  world.card = null
  rules.settle(world, at('2026-12-02'))
  return { world, subscription: world.subscription! }
}

const paidState = { status: 'active', months: 2, overdue: null, retries: 0 } as const

test('what is overdue is paid once, as the month that it is for', (t) => {
  const { world, subscription } = overdueWorld()
  t.is(rules.payOverdue(world, subscription, at('2026-12-03')), 'There is no payment method on file.')
  t.like(subscription, { status: 'past_due', months: 1, retries: 1 })
  world.card = 'pm_card_visa'
  t.is(rules.payOverdue(world, subscription, at('2026-12-03')), null)
  t.like(subscription, paidState)
  t.is(rules.payOverdue(world, subscription, at('2026-12-03')), null)
  t.deepEqual(
    world.payments.map(({ cents, status, tier, createdAt }) => ({ cents, status, tier, createdAt })),
    ['2026-11-01', '2026-12-01'].map((day) => ({ cents: 8000, status: 'paid', tier: 'team', createdAt: at(day) })),
  )
})

test('what is overdue is paid by itself if the card is good again', (t) => {
  const { world, subscription } = overdueWorld()
  world.card = 'pm_card_visa'
  rules.settle(world, at('2026-12-04'))
  t.like(subscription, paidState)
  rules.settle(world, at('2026-12-31'))
  t.is(world.subscription?.months, 2)
})

test('purchases are not paid from what is credited, subscriptions are', (t) => {
  const world = { ...worldWith('pm_card_visa'), creditCents: 2500 }
  t.is(rules.pay(world, { cents: 300, key: 'p' }, at('2026-11-01')), null)
  t.like(world, {
    creditCents: 2500,
    payments: [{ tier: null, cents: 300, fromCreditCents: 0, key: 'p', status: 'paid' }],
  })
  world.card = null
  t.is(rules.subscribe(world, { tier: 'pro', key: 's' }, at('2026-11-01')), null)
  t.like(world, { creditCents: 500, subscription: { tier: 'pro', status: 'active' } })
  t.like(world.payments[1], { tier: 'pro', cents: 0, fromCreditCents: 2000, key: 's', status: 'paid' })
  t.regex(world.payments[1]?.reference ?? '', /^sandbox_.+/)
})

test('what is refused changes nothing, and is on record as failed', (t) => {
  const world = { ...worldWith('pm_card_chargeCustomerFail'), creditCents: 100 }
  t.is(rules.pay(world, { cents: 300, key: 'p' }, at('2026-11-01')), 'The card was declined.')
  t.is(rules.subscribe(world, { tier: 'pro', key: 's' }, at('2026-11-01')), 'The card was declined.')
  t.like(world, { creditCents: 100, subscription: null })
  t.like(world.payments, [{ status: 'failed' }, { status: 'failed', cents: 1900, fromCreditCents: 0 }])
  world.card = 'pm_card_visa'
  rules.subscribe(world, { tier: 'pro', key: 's' }, at('2026-11-01'))
  world.card = null
  const change = { tier: 'team', when: 'now', key: 'c' } as const
  t.is(rules.change(world, world.subscription!, change, at('2026-11-16')), 'There is no payment method on file.')
  t.like(world.subscription, { tier: 'pro', anchor: at('2026-11-01') })
})

test('a lower tier that begins at once is paid with what is left, and the rest is credited', (t) => {
  const lowered = (time: Date) => {
    const world = worldWith('pm_card_visa')
    rules.subscribe(world, { tier: 'team', key: 'k' }, at('2026-11-01'))
    rules.change(world, world.subscription!, { tier: 'pro', when: 'now', key: 'c' }, time)
    t.like(world.subscription, { tier: 'pro', anchor: time, months: 1 })
    return world
  }
  const half = lowered(at('2026-11-16'))
  t.is(half.creditCents, 2000)
  t.like(half.payments[1], { tier: 'team', cents: -2000, fromCreditCents: 0, left: { tier: 'team', cents: 4000 } })
  const quarter = lowered(new Date('2026-11-23T12:00:00Z'))
  t.is(quarter.creditCents, 0)
  t.like(quarter.payments[1], { tier: 'pro', cents: 0, left: { tier: 'team', cents: 2000 } })
  const last = lowered(new Date(at('2026-12-01').getTime() - 1))
  t.like(last.payments[1], { tier: 'pro', cents: 2000, left: null })
})

test('an overdue subscription is cancelled at once, and nothing is credited; a paid one since the first request', (t) => {
  const { world, subscription } = overdueWorld()
  rules.cancel(world, subscription, 'period_end', at('2026-12-03'))
  t.like(world, { subscription: null, creditCents: 0 })
  t.is(world.payments.length, 2)
  const paid = worldWith('pm_card_visa')
  rules.subscribe(paid, { tier: 'team', key: 'k' }, at('2026-11-01'))
  for (const day of ['2026-11-02', '2026-11-03']) rules.cancel(paid, paid.subscription!, 'period_end', at(day))
  t.like(paid.subscription, { nextTier: 'free', cancelledAt: at('2026-11-02') })
  rules.cancel(paid, paid.subscription!, 'now', at('2026-11-16'))
  t.like(paid, { subscription: null, creditCents: 4000 })
  t.like(paid.payments[1], { tier: 'team', cents: -4000, left: { tier: 'team', cents: 4000 } })
})

/** A generator of numbers below one, the same for a seed. */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What an account has paid and is owed, by another way of reckoning: each day by itself, with the months counted anew. */
function model() {
  let [paid, owed] = [0, 0]
  let [tier, next] = [null, null] as [PaidTierName | null, string | null]
  let [start, end] = [new Date(0), new Date(0)]
  let anchor = new Date(0)
  const price = (of: PaidTierName) => tierOf(of).centsPerMonth
  /** Money goes from what is owed first. */
  const settle = (cents: number) => {
    owed -= cents
    if (owed < 0) paid -= owed
    owed = Math.max(0, owed)
  }
  const endOfMonth = (from: Date) => {
    const whole = (from.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + from.getUTCMonth() - anchor.getUTCMonth() + 1
    const last = new Date(Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + whole + 1, 0)).getUTCDate()
    return new Date(
      Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + whole, Math.min(anchor.getUTCDate(), last)),
    )
  }
  const left = (now: Date) =>
    tier ? Math.round((price(tier) * (end.getTime() - now.getTime())) / (end.getTime() - start.getTime())) : 0
  const begin = (to: PaidTierName, now: Date) => {
    const cents = price(to) - left(now)
    ;[tier, anchor, start, next] = [to, now, now, null]
    end = endOfMonth(now)
    settle(cents)
  }
  return {
    day(now: Date) {
      if (!tier || now < end) return
      if (next === 'free') tier = null
      else {
        tier = (next as PaidTierName | null) ?? tier
        ;[start, next] = [end, null]
        end = endOfMonth(start)
        settle(price(tier))
      }
    },
    become: (to: PaidTierName, when: 'now' | 'period_end', now: Date) => {
      if (tier === to) next = null
      else if (!tier || when === 'now') begin(to, now)
      else next = to
    },
    leave(when: 'now' | 'period_end', now: Date) {
      if (tier && when === 'period_end') next = 'free'
      else if (tier) {
        settle(-left(now))
        tier = null
      }
    },
    state: () => ({ paid, owed, tier, end: tier && end.toISOString(), next: tier && next }),
  }
}

test('two years of renewals, changes and cancellations come out as an independent model says', (t) => {
  for (let seed = 1; seed <= 15; seed += 1) {
    const random = numbers(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
    const [world, other] = [worldWith('pm_card_visa'), model()]
    for (let days = 0; days < 730; days += 1) {
      const now = new Date(at('2027-01-01').getTime() + days * dayMs)
      rules.settle(world, now)
      other.day(now)
      const [chance, tier, when] = [random(), pick(paidTierNames), pick(['now', 'period_end'] as const)]
      if (chance < 0.04) {
        if (world.subscription) rules.change(world, world.subscription, { tier, when, key: `${days}` }, now)
        else rules.subscribe(world, { tier, key: `${days}` }, now)
        other.become(tier, when, now)
      } else if (chance < 0.05) {
        if (world.subscription) rules.cancel(world, world.subscription, when, now)
        other.leave(when, now)
      }
      const { subscription } = world
      const paid = world.payments.reduce((sum, { cents }) => sum + Math.max(0, cents), 0)
      const end = subscription && rules.periodEnd(subscription).toISOString()
      const own = {
        paid,
        owed: world.creditCents,
        tier: subscription?.tier ?? null,
        end,
        next: subscription?.nextTier ?? null,
      }
      t.deepEqual(own, other.state(), `seed ${seed}, day ${days}`)
    }
  }
})
