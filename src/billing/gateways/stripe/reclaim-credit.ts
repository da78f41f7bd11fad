import type { Stripe } from 'stripe'
import { asking } from './failures.ts'
import { creditUsedBy, unusedIn } from './invoices.ts'

/** What is to be taken away because of an invoice and a reason; of what was done already, what was taken or given back. */
interface Claim {
  invoice: string
  reason: 'left' | 'debt'
  cents: number
}

/**
 * Credit that nobody has paid for: what was left of a month that was left early, and paid back afterwards. It is taken from
 * the customer's balance, which may become a debt: Stripe adds that to the next invoice. If the month is paid all the same
 * afterwards, since a dispute was won or a refund has failed, it is given back.
 */
export function createReclaimCredit(stripe: Stripe) {
  /**
   * Takes away what is to be taken still, and gives back what is not. Returns how much was ever taken because of each
   * invoice, in cents. The invoices are the newest first. What was taken is known from Stripe alone, so a payment that
   * is too old to be compared changes nothing.
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

  /** Found by their metadata, because Stripe forgets idempotency keys after a day. */
  async function takenFrom(customer: string): Promise<Claim[]> {
    const listed = stripe.customers.listBalanceTransactions(customer, { limit: 100 })
    const found = await asking(() => listed.autoPagingToArray({ limit: 1000 }))
    return found.flatMap(({ amount: cents, metadata }) => {
      const { invoice, reason } = metadata ?? {}
      return invoice !== undefined && (reason === 'left' || reason === 'debt') ? [{ invoice, reason, cents }] : []
    })
  }

  /** `turn`: how often something was taken or given back for this before. */
  const take = (customer: string, { invoice, reason, cents }: Claim, turn: number) =>
    asking(() =>
      stripe.customers.createBalanceTransaction(
        customer,
        {
          amount: cents,
          currency: 'usd',
          description: `${cents < 0 ? 'Given back: ' : ''}${descriptions[reason]}`,
          metadata: { invoice, reason },
        },
        { idempotencyKey: `taken-${reason}-${invoice}${turn === 0 ? '' : `-${turn}`}` },
      ),
    )

  return { settle }
}

/** undefined where what it was paid with is not known: it may be too old to be told of. */
type IsPaidBack = (invoice: Stripe.Invoice) => boolean | undefined

const descriptions: Record<Claim['reason'], string> = {
  left: 'Credit for a refunded month',
  debt: 'Balance due after a refund',
}

const isSame = (one: Claim, other: Claim): boolean => one.invoice === other.invoice && one.reason === other.reason

/** What should have been taken because of each invoice, as its payment and that of the month before are now. */
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
