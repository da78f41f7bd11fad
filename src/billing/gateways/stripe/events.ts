import type { Stripe } from 'stripe'
import * as v from 'valibot'
import { later, type Clock } from '../../../clock.ts'
import type { Database } from '../../../database/database.ts'
import { Account } from '../../account.ts'
import { pollBy } from '../../poll-gateway.ts'
import { idOf } from './customers.ts'
import { asking, isMissing, translated } from './failures.ts'

/** Event types that affect an account's billing. The endpoint in Stripe must have the same list. */
const watchedTypes = [
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
  'charge.refunded',
  'customer.deleted',
  'customer.updated',
  'customer.subscription.created',
  'customer.subscription.deleted',
  'customer.subscription.updated',
  'invoice.finalized',
  'invoice.marked_uncollectible',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
  'refund.failed',
  'refund.updated',
  'subscription_schedule.released',
  'subscription_schedule.updated',
] as const

/** How long events are remembered, in days: longer than the 30 days that Stripe lists them. */
const rememberedDays = 35

/** The overlap of two rounds' lists, in seconds: an event may be listed after a later one. */
const overlap = 600

/** How far back the first round reads, in seconds. */
const firstRound = 3 * 86_400

/**
 * Stripe's events. An event only triggers a poll of its account, because events arrive late, twice, forged or never.
 */
export function createStripeEvents({ database, clock, stripe }: { database: Database; clock: Clock; stripe: Stripe }) {
  /**
   * Records a new event and schedules a poll of its account, in one transaction. Ignores events without an object, such
   * as thin events.
   */
  async function note(received: unknown): Promise<void> {
    const read = v.safeParse(event, received)
    if (!read.success) return
    const { id, type, data } = read.output
    const customer = customerIn(data.object) ?? (await payerOf(data.object))
    await database.transaction(async (trx) => {
      const row = { id, type, customer, receivedAt: clock.now() }
      const added = await trx('stripe_events').insert(row).onConflict('id').ignore().returning<{ id: string }[]>('id')
      if (added.length === 0 || customer === null) return
      const account = await Account.query(trx).findOne({ customer }).select('ownerId')
      if (account) await pollBy(trx, account.ownerId, clock.now())
    })
  }

  /** Disputes and refunds name only their payment. An unknown payment has no payer. */
  async function payerOf({ object, payment_intent: intent }: EventObject): Promise<string | null> {
    if ((object !== 'dispute' && object !== 'refund') || typeof intent !== 'string') return null
    try {
      return idOf((await stripe.paymentIntents.retrieve(intent)).customer)
    } catch (error) {
      if (isMissing(error)) return null
      throw translated(error)
    }
  }

  /** Lists events since the last round, and records those that no webhook delivered. */
  async function reconcile(stopping?: AbortSignal): Promise<void> {
    const [cursor] = await database('stripe_cursors').where({ name: 'events' }).select<{ seenAt: Date }[]>('seenAt')
    const since = later(cursor?.seenAt ?? later(clock.now(), -firstRound), -overlap)
    const gte = Math.floor(since.getTime() / 1000)
    let newest = cursor?.seenAt
    // Newest first. The cursor moves after all are recorded, so an interrupted round repeats.
    await asking(async () => {
      for await (const found of stripe.events.list({ types: [...watchedTypes], created: { gte }, limit: 100 })) {
        if (stopping?.aborted) throw new Error('the process stops')
        await note(found)
        newest = new Date(Math.max(found.created * 1000, newest?.getTime() ?? 0))
      }
    })
    if (!newest) return
    await database('stripe_cursors').insert({ name: 'events', seenAt: newest }).onConflict('name').merge(['seenAt'])
  }

  /** Deletes events that Stripe no longer lists. */
  const purge = async (): Promise<void> =>
    void (await database('stripe_events')
      .where('receivedAt', '<', later(clock.now(), -rememberedDays * 86_400))
      .delete())

  return { note, reconcile, purge }
}

/** Stripe's ids are short and contain no special characters. */
const name = v.pipe(v.string(), v.maxLength(255), v.regex(/^[\w.]+$/))

/** The parts of an event that we read. */
const event = v.object({ id: name, type: name, data: v.object({ object: v.looseObject({ object: name }) }) })
type EventObject = v.InferOutput<typeof event>['data']['object']

/** The customer that an event is about. */
function customerIn({ object, id, customer }: EventObject): string | null {
  const reference = object === 'customer' ? id : customer
  const found = typeof reference === 'object' && reference !== null && 'id' in reference ? reference.id : reference
  return v.is(name, found) ? found : null
}
