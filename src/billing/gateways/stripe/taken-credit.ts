import type { Stripe } from 'stripe'
import { asking } from './failures.ts'
import { creditUsedBy, unusedIn } from './invoices.ts'

/** What is to be taken away because of a payment that was paid back: once for each invoice and reason. */
interface Claim {
  invoice: string
  reason: 'left' | 'debt'
  cents: number
}

/**
 * Credit that nobody has paid for: what was left of a month that was left early, and paid back afterwards. It is taken from
 * the customer's balance, which may become a debt: Stripe adds that to the next invoice.
 */
export function createTakenCredit(stripe: Stripe) {
  /**
   * Takes away what is to be taken still. Returns how much was ever taken because of each invoice, in cents. The invoices are
   * the newest first. What was taken is known from Stripe alone, so a payment that is too old to be compared changes nothing.
   */
  async function settle(customer: string, invoices: Stripe.Invoice[], isPaidBack: IsPaidBack) {
    const paid = invoices.filter(({ status }) => status === 'paid')
    const taken = new Map<string, number>()
    if (!paid.some((one) => unusedIn(one).length > 0 || one.starting_balance > 0)) return { taken, isNew: false }
    const before = await takenFrom(customer)
    const claims = claimsOf(paid, isPaidBack).filter((claim) => !before.some((one) => isSame(one, claim)))
    for (const claim of claims) await take(customer, claim)
    for (const { invoice, cents } of [...before, ...claims]) taken.set(invoice, (taken.get(invoice) ?? 0) + cents)
    return { taken, isNew: claims.length > 0 }
  }

  /** Found by their metadata, because Stripe forgets idempotency keys after a day. */
  async function takenFrom(customer: string): Promise<Claim[]> {
    const listed = stripe.customers.listBalanceTransactions(customer, { limit: 100 })
    const found = await asking(() => listed.autoPagingToArray({ limit: 1000 }))
    return found.flatMap(({ amount: cents, metadata }) => {
      const { invoice, reason } = metadata ?? {}
      return invoice !== undefined && (reason === 'left' || reason === 'debt') ? [{ invoice, reason, cents }] : []
    })
  }

  const take = (customer: string, { invoice, reason, cents }: Claim) =>
    asking(() =>
      stripe.customers.createBalanceTransaction(
        customer,
        { amount: cents, currency: 'usd', description: descriptions[reason], metadata: { invoice, reason } },
        { idempotencyKey: `taken-${reason}-${invoice}` },
      ),
    )

  return { settle }
}

type IsPaidBack = (invoice: Stripe.Invoice) => boolean

const descriptions: Record<Claim['reason'], string> = {
  left: 'Credit for a month whose payment was paid back',
  debt: 'A debt whose payment was paid back',
}

const isSame = (one: Claim, other: Claim): boolean => one.invoice === other.invoice && one.reason === other.reason

const claimsOf = (paid: Stripe.Invoice[], isPaidBack: IsPaidBack): Claim[] =>
  paid
    .flatMap((invoice, index): Claim[] => {
      const { id } = invoice
      const month = monthLeftBy(invoice, paid.slice(index + 1))
      const left = month && isPaidBack(month) ? -sumOf(unusedIn(invoice)) : 0
      const debt = isPaidBack(invoice) ? -creditUsedBy(invoice) : 0
      return [
        { invoice: id, reason: 'left', cents: left },
        { invoice: id, reason: 'debt', cents: debt },
      ]
    })
    .filter(({ cents }) => cents > 0)

/** The invoice that the month began with which was left: the last one before of the subscription that is for a month. */
const monthLeftBy = (invoice: Stripe.Invoice, before: Stripe.Invoice[]): Stripe.Invoice | undefined =>
  before.find(
    (one) => subscriptionOf(one) === subscriptionOf(invoice) && one.lines.data.some(({ amount }) => amount > 0),
  )

const subscriptionOf = ({ parent }: Stripe.Invoice): string | undefined => {
  const subscription = parent?.subscription_details?.subscription
  return typeof subscription === 'object' ? subscription.id : subscription
}

const sumOf = (lines: { amount: number }[]): number => lines.reduce((sum, { amount }) => sum + amount, 0)
