/**
 * An independent model of one paying account, after docs/specification.md ("Tiers and credits"): written from the words,
 * with other means than the platform, to be compared with it. Times are milliseconds of the account's clock, amounts
 * US cents.
 */

/** What a tier costs and grants, as `GET /billing/tiers` says. */
export interface Offer {
  name: string
  centsPerMonth: number
  creditsPerMonth: number
}

export type CardKind = 'good' | 'bad' | 'none'

/** A payment: what was charged, what was paid from credit besides, and whether it went well. */
export interface Charged {
  cents: number
  fromCreditCents: number
  status: 'paid' | 'failed'
}

type Outcome = 'done' | 'PAYMENT_FAILED' | 'NO_PAYMENT_METHOD' | 'SUBSCRIPTION_PAST_DUE'

const day = 86_400_000
const retriesAfter = [1, 3, 5, 7].map((days) => days * day)

/** So many calendar months (UTC) after a time: the same day, or the last one of a shorter month. */
function monthsLater(from: number, months: number): number {
  const start = new Date(from)
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + months]
  const daysOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const midnight = Date.UTC(year, month, Math.min(start.getUTCDate(), daysOfMonth))
  return midnight + (from - Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()))
}

const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

interface Subscription {
  tier: string
  /** What was paid for last. While the month of a higher tier is overdue, the account still has this one. */
  paidTier: string
  began: number
  paidMonths: number
  isOverdue: boolean
  /** Where the overdue payment stands among the charges. */
  overdueAt: number
  failures: number
  next: string | null
}

/** A month that has just been paid. */
const fresh = { paidMonths: 1, isOverdue: false, overdueAt: 0, failures: 0, next: null }

export class Subscriber {
  readonly #offers: Map<string, Offer>
  readonly charged: Charged[] = []
  card: CardKind = 'none'
  balance = 0
  creditCents = 0
  #now: number
  #subscription: Subscription | undefined
  /** The calendar months that the free tier has granted. */
  readonly #freeMonths = new Set<string>()

  constructor(offers: readonly Offer[], now: number) {
    this.#offers = new Map(offers.map((offer) => [offer.name, offer]))
    this.#now = now
    this.#grantFree()
  }

  /** What `GET /billing` has to say. */
  get seen() {
    const subscription = this.#subscription
    return {
      tier: subscription ? this.#given(subscription) : 'free',
      status: subscription ? (subscription.isOverdue ? 'past_due' : 'active') : null,
      currentPeriodEnd: subscription ? new Date(this.#end(subscription)).toISOString() : null,
      nextTier: subscription ? this.#following(subscription) : null,
      balance: this.balance,
      creditCents: this.creditCents,
    }
  }

  /** Lets time pass: what is due happens at its own time, month by month. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds
    for (;;) {
      const due = this.#nextDue()
      const month = this.#nextMonth()
      const at = Math.min(due ?? Infinity, month)
      if (at > until) break
      this.#now = at
      if (at === due) this.#happen()
      this.#grantFree()
    }
    this.#now = until
  }

  subscribe(tier: string, when?: 'now' | 'period_end'): Outcome {
    const before = this.#subscription
    if (this.card === 'none' && this.#mayCost(before, tier, when)) return 'NO_PAYMENT_METHOD'
    if (!before) return this.#begin(tier)
    if (this.#isInstead(before, tier, when)) return this.#change(before, tier)
    if (before.isOverdue && !this.#payOverdue(before)) return 'PAYMENT_FAILED'
    if (tier === before.tier) before.next = null
    else if (this.#isNow(before, tier, when)) return this.#change(before, tier)
    else before.next = tier
    return 'done'
  }

  /** Whether there was something to cancel. */
  cancel(when: 'now' | 'period_end'): boolean {
    const subscription = this.#subscription
    if (!subscription) return false
    if (when === 'period_end' && !subscription.isOverdue) {
      subscription.next = 'free'
      return true
    }
    const left = this.#left(subscription)
    if (left > 0) this.#credit(left)
    this.#takeBack(subscription.tier, left)
    this.#subscription = undefined
    this.#grantFree()
    return true
  }

  buy(credits: number, cents: number): Outcome {
    if (this.#subscription?.isOverdue) return 'SUBSCRIPTION_PAST_DUE'
    if (this.card === 'none') return 'NO_PAYMENT_METHOD'
    const isPaid = this.card === 'good'
    this.charged.push({ cents, fromCreditCents: 0, status: isPaid ? 'paid' : 'failed' })
    if (isPaid) this.balance += credits
    return isPaid ? 'done' : 'PAYMENT_FAILED'
  }

  /** A month of a lower tier takes the place of one that is overdue. */
  #isInstead = (before: Subscription, tier: string, when?: 'now' | 'period_end'): boolean =>
    before.isOverdue && when !== 'period_end' && this.#price(tier) < this.#price(before.tier)

  #isUnpaidRise = ({ isOverdue, tier, paidTier }: Subscription): boolean =>
    isOverdue && this.#price(tier) > this.#price(paidTier)

  #given = (subscription: Subscription): string =>
    this.#isUnpaidRise(subscription) ? subscription.paidTier : subscription.tier

  #following = (subscription: Subscription): string | null =>
    this.#isUnpaidRise(subscription) ? subscription.tier : subscription.next

  #isNow = (before: Subscription, tier: string, when?: 'now' | 'period_end'): boolean =>
    tier !== before.tier && (when ?? (this.#price(tier) > this.#price(before.tier) ? 'now' : 'period_end')) === 'now'

  #credits = (tier: string): number => this.#offers.get(tier)?.creditsPerMonth ?? 0
  /** Credit for a whole month is enough without a card; a month that is overdue has found none. */
  #mayCost(before: Subscription | undefined, tier: string, when?: 'now' | 'period_end'): boolean {
    if (before?.isOverdue && !this.#isInstead(before, tier, when)) return true
    return (!before || before.isOverdue || this.#isNow(before, tier, when)) && this.creditCents < this.#price(tier)
  }

  #price = (tier: string): number => this.#offers.get(tier)?.centsPerMonth ?? 0
  #end = ({ began, paidMonths }: Subscription): number => monthsLater(began, paidMonths)

  #nextDue(): number | undefined {
    const subscription = this.#subscription
    if (!subscription) return undefined
    const end = this.#end(subscription)
    return subscription.isOverdue ? end + (retriesAfter[subscription.failures] ?? 0) : end
  }

  #nextMonth(): number {
    const { year, month } = { year: new Date(this.#now).getUTCFullYear(), month: new Date(this.#now).getUTCMonth() }
    return Date.UTC(year, month + 1, 1)
  }

  #happen(): void {
    const subscription = this.#subscription
    if (!subscription) return
    if (subscription.isOverdue) this.#retry(subscription)
    else this.#renew(subscription)
  }

  #renew(subscription: Subscription): void {
    if (subscription.next === 'free') {
      this.#subscription = undefined
      return
    }
    subscription.tier = subscription.next ?? subscription.tier
    subscription.next = null
    if (this.#charge(this.#price(subscription.tier))) {
      subscription.paidMonths += 1
      subscription.paidTier = subscription.tier
      this.#grant(subscription.tier)
    } else Object.assign(subscription, { isOverdue: true, overdueAt: this.charged.length - 1, failures: 0 })
  }

  #retry(subscription: Subscription): void {
    if (this.#payOverdue(subscription)) return
    subscription.failures += 1
    if (subscription.failures === retriesAfter.length) this.#subscription = undefined
  }

  /** The same payment becomes a paid one. */
  #payOverdue(subscription: Subscription): boolean {
    const price = this.#price(subscription.tier)
    const credited = Math.min(this.creditCents, price)
    if (price > credited && this.card !== 'good') return false
    this.creditCents -= credited
    this.charged[subscription.overdueAt] = { cents: price - credited, fromCreditCents: credited, status: 'paid' }
    const { tier: paidTier, paidMonths } = subscription
    Object.assign(subscription, { paidTier, isOverdue: false, paidMonths: paidMonths + 1, failures: 0 })
    this.#grant(subscription.tier)
    return true
  }

  #begin(tier: string): Outcome {
    if (!this.#charge(this.#price(tier))) return 'PAYMENT_FAILED'
    this.#subscription = { ...fresh, tier, paidTier: tier, began: this.#now }
    this.#grant(tier)
    return 'done'
  }

  /** A month of the other tier begins; what is left of the old one is worth its price. */
  #change(before: Subscription, tier: string): Outcome {
    const left = this.#left(before)
    const cents = this.#price(tier) - left
    if (cents < 0) this.#credit(-cents)
    else if (!this.#charge(cents)) return 'PAYMENT_FAILED'
    this.#takeBack(before.tier, left)
    Object.assign(before, { ...fresh, tier, paidTier: tier, began: this.#now })
    this.#grant(tier)
    return 'done'
  }

  #left(subscription: Subscription): number {
    if (subscription.isOverdue) return 0
    const end = this.#end(subscription)
    const begin = monthsLater(subscription.began, subscription.paidMonths - 1)
    return Math.round((this.#price(subscription.tier) * (end - this.#now)) / (end - begin))
  }

  /** Money for later. */
  #credit(cents: number): void {
    this.creditCents += cents
    this.charged.push({ cents: -cents, fromCreditCents: 0, status: 'paid' })
  }

  /** As much of a month's credits as is left of its price. */
  #takeBack(tier: string, cents: number): void {
    this.balance -= Math.floor((this.#credits(tier) * cents) / this.#price(tier))
  }

  #charge(price: number): boolean {
    const credited = Math.min(this.creditCents, price)
    const isPaid = price === credited || this.card === 'good'
    if (isPaid) this.creditCents -= credited
    const fromCreditCents = isPaid ? credited : 0
    this.charged.push({ cents: price - credited, fromCreditCents, status: isPaid ? 'paid' : 'failed' })
    return isPaid
  }

  /** A month that is paid for gives what its tier promises. */
  #grant(tier: string): void {
    this.balance += this.#credits(tier)
  }

  /** The free tier gives something in each calendar month in which one has it. */
  #grantFree(): void {
    const month = monthOf(this.#now)
    if (this.#subscription || this.#freeMonths.has(month)) return
    this.#freeMonths.add(month)
    this.#grant('free')
  }
}
