import type { Stripe } from 'stripe'
import { asking } from './failures.ts'
import { creditUsedBy, unusedIn } from './invoices.ts'

/** An amount to reclaim for an invoice and a reason. For past transactions, the amount reclaimed or returned. */
interface Claim {
  invoice: string
  reason: 'left' | 'debt'
  cents: number
}

/**
 * Reclaims unpaid credit: the rest of a month that ended early and was refunded afterwards. It is taken from the
 * customer's balance, which may become a debt that Stripe adds to the next invoice. If the month becomes paid after
 * all, because a dispute is won or a refund fails, the credit is returned.
 */
export function createReclaimCredit(stripe: Stripe) {
  /**
   * Reclaims or returns the difference. Returns the total reclaimed per invoice, in cents. Expects the newest invoices
   * first. Only Stripe knows what was reclaimed, so payments too old to compare change nothing.
   */
  async function settle(customer: string, invoices: Stripe.Invoice[], isPaidBack: IsPaidBack) {
    const paid = invoices.filter(({ status }) => status === 'paid')
    const taken = new Map<string, number>()
    if (!paid.some((one) => unusedIn(one).length > 0 || one.starting_balance > 0)) return { taken, isNew: false }
    const before = await takenFrom(customer)
    const changes: Claim[] = []
    for (const claim of claimsOf(paid, isPaidBack)) {
      const done = before.filter((one) => isSame(one, claim))
      const change = { ...claim, cents: claim.cents - done.reduce((sum, { cents }) => sum + cents, 0) }
      if (change.cents === 0) continue
      await take(customer, change, done.length)
      changes.push(change)
    }
    for (const { invoice, cents } of [...before, ...changes]) taken.set(invoice, (taken.get(invoice) ?? 0) + cents)
    return { taken, isNew: changes.length > 0 }
  }

  /** Found by metadata, because Stripe forgets idempotency keys after a day. */
  async function takenFrom(customer: string): Promise<Claim[]> {
    const listed = stripe.customers.listBalanceTransactions(customer, { limit: 100 })
    const found = await asking(() => listed.autoPagingToArray({ limit: 1000 }))
    return found.flatMap(({ amount: cents, metadata }) => {
      const { invoice, reason } = metadata ?? {}
      return invoice !== undefined && (reason === 'left' || reason === 'debt') ? [{ invoice, reason, cents }] : []
    })
  }

  /** `turn`: how often this claim has already been reclaimed or returned. */
  const take = (customer: string, { invoice, reason, cents }: Claim, turn: number) =>
    asking(() =>
      stripe.customers.createBalanceTransaction(
        customer,
        {
          amount: cents,
          currency: 'usd',
          description: `${cents < 0 ? 'Reversed: ' : ''}${descriptions[reason]}`,
          metadata: { invoice, reason },
        },
        { idempotencyKey: `taken-${reason}-${invoice}${turn === 0 ? '' : `-${turn}`}` },
      ),
    )

  return { settle }
}

/** undefined if the payment is unknown, perhaps because it is too old. */
type IsPaidBack = (invoice: Stripe.Invoice) => boolean | undefined

const descriptions: Record<Claim['reason'], string> = {
  left: 'Credit for a refunded month',
  debt: 'Balance due after a refund',
}

const isSame = (one: Claim, other: Claim): boolean => one.invoice === other.invoice && one.reason === other.reason

/** The claims of each invoice, by the current state of its payment and the previous month's. */
const claimsOf = (paid: Stripe.Invoice[], isPaidBack: IsPaidBack): Claim[] =>
  paid.flatMap((invoice, index) => {
    const month = monthLeftBy(invoice, paid.slice(index + 1))
    return [
      ...claimOf(invoice, 'left', month && isPaidBack(month), -sumOf(unusedIn(invoice))),
      ...claimOf(invoice, 'debt', isPaidBack(invoice), -creditUsedBy(invoice)),
    ]
  })

const claimOf = (
  { id }: Stripe.Invoice,
  reason: Claim['reason'],
  isBack: boolean | undefined,
  cents: number,
): Claim[] => (isBack === undefined ? [] : [{ invoice: id, reason, cents: isBack ? Math.max(0, cents) : 0 }])

/** The invoice that started the month that was left: the subscription's last earlier invoice for a month. */
const monthLeftBy = (invoice: Stripe.Invoice, before: Stripe.Invoice[]): Stripe.Invoice | undefined =>
  before.find(
    (one) => subscriptionOf(one) === subscriptionOf(invoice) && one.lines.data.some(({ amount }) => amount > 0),
  )

const subscriptionOf = ({ parent }: Stripe.Invoice): string | undefined => {
  const subscription = parent?.subscription_details?.subscription
  return typeof subscription === 'object' ? subscription.id : subscription
}

const sumOf = (lines: { amount: number }[]): number => lines.reduce((sum, { amount }) => sum + amount, 0)
