import { earliest, later, latest, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { Gateway, GatewayState, GatewaySubscription } from './gateways/gateway.ts'
import type { Overdue } from './overdue.ts'
import type { Payments } from './payments.ts'

/** How often the gateway is asked about an account that has a subscription, in seconds: at least, and while it is past due. */
const every = { active: 86_400, pastDue: 3600 }

/**
 * Asks the gateway how an account stands, and makes that so here. Webhooks, requests and the sweep all end in a look, and
 * a look alone changes tiers and settles payments: what the gateway says is true, in whatever order news of it comes.
 */
export function createLook(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  credits: Credits
  payments: Payments
  overdue: Overdue
  due: Pick<Due, 'owner'>
}) {
  const { database, clock, gateway, credits, payments, overdue, due } = context

  /** Takes the next number. Of two looks the one with the higher number began later and knows more. */
  const begin = (ownerId: string): Promise<{ number: number; customer: string | null }> =>
    database.transaction(async (trx) => {
      await credits.locked(ownerId, trx)
      const number = { looksBegun: trx.raw('looks_begun + 1') }
      const [begun] = await trx('accounts').where({ ownerId }).update(number).returning(['looksBegun', 'customer'])
      return { number: begun.looksBegun, customer: begun.customer }
    })

  /** The gateway's name for the account; what another gateway called it is of no use. */
  async function customerOf(ownerId: string, known?: string | null): Promise<string> {
    const named = known === undefined ? (await credits.current(ownerId)).customer : known
    if (named !== null && named.startsWith('sandbox_') === (gateway.name === 'sandbox')) return named
    const customer = await gateway.customer(ownerId)
    await Account.query(database).findById(ownerId).patch({ customer })
    return customer
  }

  async function apply(trx: Transaction, ownerId: string, number: number, state: GatewayState): Promise<void> {
    const account = await credits.locked(ownerId, trx)
    if (account.lookApplied > number) return
    const facts = factsOf(account, state.subscription)
    await Account.query(trx)
      .findById(ownerId)
      .patch({ ...facts, lookApplied: number })
    for (const payment of state.payments.toReversed()) await payments.settle(trx, account, payment)
    // With the tier come the credits of the month.
    const after = await credits.locked(ownerId, trx)
    await overdue.tell(trx, account, after)
    await follow(trx, account, after)
  }

  /** Runs may have waited for this, and the sweep does the rest. */
  async function follow(trx: Transaction, before: Account, after: Account): Promise<void> {
    const { ownerId, fittedTier, tier } = after
    const isOther = before.tier !== tier || before.subscriptionStatus !== after.subscriptionStatus
    if (isOther) await due.owner(trx, ownerId)
    await lookBy(trx, ownerId, fittedTier === tier ? nextLookAt(after, clock.now()) : clock.now())
  }

  /** Looks at a user's account. Throws what the gateway throws. */
  async function look(ownerId: string): Promise<void> {
    const { number, customer } = await begin(ownerId)
    const state = await gateway.look(await customerOf(ownerId, customer))
    await database.transaction((trx) => apply(trx, ownerId, number, state))
  }

  return { look, customerOf }
}

export type Look = ReturnType<typeof createLook>

type Facts = Pick<
  Account,
  'tier' | 'subscription' | 'subscriptionStatus' | 'nextTier' | 'currentPeriodEnd' | 'cancelledAt'
>

/** A paid tier that the gateway never knew stays until its date: it is of a release before. */
function factsOf(account: Account, subscription: GatewaySubscription | null): Facts {
  if (!subscription && account.subscription === null) return factsIn(account)
  if (!subscription) return free
  const { reference, status, tier, nextTier, currentPeriodEnd, cancelledAt } = subscription
  return { tier, subscription: reference, subscriptionStatus: status, nextTier, currentPeriodEnd, cancelledAt }
}

const factsIn = (account: Account): Facts => {
  const { tier, subscription, subscriptionStatus, nextTier, currentPeriodEnd, cancelledAt } = account
  return { tier, subscription, subscriptionStatus, nextTier, currentPeriodEnd, cancelledAt }
}

const free: Facts = {
  tier: 'free',
  subscription: null,
  subscriptionStatus: null,
  nextTier: null,
  currentPeriodEnd: null,
  cancelledAt: null,
}

/** When the gateway is to be asked again although nobody says anything: news may be lost. */
export function nextLookAt({ subscriptionStatus, currentPeriodEnd, clockSeconds }: Account, now: Date): Date | null {
  if (subscriptionStatus === 'past_due') return later(now, every.pastDue)
  if (subscriptionStatus !== 'active' || currentPeriodEnd === null) return null
  const end = later(currentPeriodEnd, -clockSeconds)
  return earliest(later(now, every.active), latest(later(now, 1), end))
}

/** Lets the sweep attend to an account by then, unless it does before anyway. */
export async function lookBy(trx: Transaction, ownerId: string, at: Date | null): Promise<void> {
  if (at === null) return
  await Account.query(trx)
    .findById(ownerId)
    .where((row) => void row.whereNull('lookAt').orWhere('lookAt', '>', at))
    .patch({ lookAt: at })
}
