import type { Clock } from '../../../clock.ts'
import type { Database } from '../../../database/database.ts'
import { assertThat, CodedError } from '../../../errors.ts'
import { newId } from '../../../ids.ts'
import type { Gateway, GatewaySubscription } from '../gateway.ts'
import { cardNamed } from './cards.ts'
import * as rules from './rules.ts'
import { createWorlds } from './worlds.ts'

/** Prefix of all ids in the sandbox. */
const prefix = 'sandbox_'

/**
 * A payment provider that moves no money. It keeps cards, subscriptions and payments as Stripe does, and renews by the
 * account's clock.
 */
export function createSandbox(context: { database: Database; clock: Clock }): Sandbox {
  const { database } = context
  const { visit, payments, paid } = createWorlds(context)

  /** Does the work once per key. The same request gets the same response. PAYMENT_FAILED. */
  async function once(ownerId: string, key: string, work: Work): Promise<void> {
    const failure = await visit(ownerId, async (world, now, trx) => {
      const before = await trx('sandbox_requests').where({ ownerId, key }).first<Done | undefined>('failure')
      if (before) return before.failure
      const outcome = work(world, now)
      await trx('sandbox_requests').insert({ ownerId, key, failure: outcome })
      return outcome
    })
    if (failure !== null) throw new CodedError('PAYMENT_FAILED', { message: `${failure} Use another payment method.` })
  }

  const ownerOf = async (reference: string): Promise<string | undefined> =>
    (await database('sandbox_subscriptions').where({ reference }).first<Owned | undefined>('ownerId'))?.ownerId

  /** The live subscription. NOT_FOUND if it has ended. */
  function living({ subscription }: rules.World, reference: string): rules.SandboxSubscription {
    assertThat(subscription?.reference === reference, 'NOT_FOUND', { message: 'The subscription has ended.' })
    return subscription
  }

  async function onceFor(reference: string, key: string, work: WorkOn): Promise<void> {
    const ownerId = await ownerOf(reference)
    assertThat(ownerId, 'NOT_FOUND', { message: 'The subscription has ended.' })
    return once(ownerId, key, (world, now) => work(world, living(world, reference), now))
  }

  return {
    name: 'sandbox',
    customer: async (ownerId) => prefix + ownerId,

    async attach(customer, method) {
      const { brand, last4 } = cardNamed(method)
      const id = newId()
      const card = { id, ownerId: ownerIn(customer), reference: `${prefix}${id}`, method }
      // Earlier charges go to the earlier card.
      await visit(card.ownerId, (_world, _now, trx) => trx('sandbox_cards').insert(card))
      return { reference: card.reference, brand, last4 }
    },

    async detach(customer, reference) {
      const ownerId = ownerIn(customer)
      await visit(ownerId, (_world, _now, trx) => trx('sandbox_cards').where({ ownerId, reference }).delete())
    },

    // The newest card is charged, and the sandbox has only listed cards.
    prefer: async (_customer, cards) => cards[0] ?? null,

    setup: async () => null,

    async pay({ customer, cents, key }) {
      const ownerId = ownerIn(customer)
      await once(ownerId, key, (world, now) => rules.pay(world, { cents, key }, now))
      const payment = await paid(ownerId, key)
      assertThat(payment, 'INTERNAL_ERROR', { privateDetail: 'the sandbox has lost a payment' })
      return payment
    },

    subscribe: ({ customer, tier, key }) =>
      once(ownerIn(customer), key, (world, now) => {
        assertThat(!world.subscription, 'NOT_FOUND', { message: 'This account already has a subscription.' })
        return rules.subscribe(world, { tier, key }, now)
      }),

    change: ({ subscription, tier, when, key }) =>
      onceFor(subscription, key, (world, found, now) => rules.change(world, found, { tier, when, key }, now)),

    async cancel(reference, when) {
      const ownerId = await ownerOf(reference)
      if (ownerId === undefined) return
      await visit(ownerId, (world, now) => {
        if (world.subscription?.reference === reference) rules.cancel(world, world.subscription, when, now)
      })
    },

    async keep(reference) {
      const ownerId = await ownerOf(reference)
      assertThat(ownerId, 'NOT_FOUND', { message: 'The subscription has ended.' })
      await visit(ownerId, (world) => rules.keep(living(world, reference)))
    },

    payOverdue: (reference, key) => onceFor(reference, key, rules.payOverdue),

    async readState(customer) {
      const ownerId = ownerIn(customer)
      const { now, ...state } = await visit(ownerId, (world, at) => ({
        now: at,
        subscription: world.subscription && presented(world.subscription),
        creditCents: world.creditCents,
      }))
      return { ...state, payments: await payments(ownerId, now) }
    },

    nextEventAt: (ownerId) => visit(ownerId, (world) => rules.nextEventAt(world)),
  }
}

/** The sandbox, as the sandbox clock sees it. */
export interface Sandbox extends Gateway {
  /** The account's next automatic event, by its own clock. */
  nextEventAt(ownerId: string): Promise<Date | null>
}

type Work = (world: rules.World, now: Date) => string | null
type WorkOn = (world: rules.World, subscription: rules.SandboxSubscription, now: Date) => string | null

interface Done {
  failure: string | null
}

interface Owned {
  ownerId: string
}

const ownerIn = (customer: string): string => customer.slice(prefix.length)

const presented = (subscription: rules.SandboxSubscription): GatewaySubscription => {
  const { reference, status, tier, nextTier, cancelledAt } = subscription
  return { reference, status, tier, nextTier, cancelledAt, currentPeriodEnd: rules.periodEnd(subscription) }
}
