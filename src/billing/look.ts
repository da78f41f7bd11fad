import { earliest, later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Account } from './account.ts'
import type { Credits } from './credits.ts'
import type { Gateway, GatewayState, GatewaySubscription } from './gateways/gateway.ts'
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
  /** What else follows from another tier, in the same transaction. */
  tierChanged: (trx: Transaction, account: Account) => Promise<void>
}) {
  const { database, clock, gateway, credits, payments, tierChanged } = context

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
    const lookAt = nextLookAt(facts, account.clockSeconds, clock.now())
    await Account.query(trx)
      .findById(ownerId)
      .patch({ ...facts, lookApplied: number, lookAt })
    for (const payment of state.payments.toReversed()) await payments.settle(trx, account, payment)
    if (facts.tier === account.tier && facts.subscriptionStatus === account.subscriptionStatus) return
    // With the tier come the credits of the month.
    await tierChanged(trx, await credits.locked(ownerId, trx))
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
function nextLookAt({ subscriptionStatus, currentPeriodEnd }: Facts, clockSeconds: number, now: Date): Date | null {
  if (subscriptionStatus === 'past_due') return later(now, every.pastDue)
  if (subscriptionStatus !== 'active' || currentPeriodEnd === null) return null
  const soonest = later(now, 1)
  const end = later(currentPeriodEnd, -clockSeconds)
  return earliest(later(now, every.active), end > soonest ? end : soonest)
}
