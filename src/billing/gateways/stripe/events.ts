import type { Stripe } from 'stripe'
import * as v from 'valibot'
import { later, type Clock } from '../../../clock.ts'
import type { Database } from '../../../database/database.ts'
import { Account } from '../../account.ts'
import { pollBy } from '../../poll-gateway.ts'
import { idOf } from './customers.ts'
import { asking, isMissing, translated } from './failures.ts'

/** What changes how an account stands. The endpoint at Stripe is to have the same. */
const heard = [
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

/** How long events are remembered, in days: longer than Stripe lists them, which is 30. */
const rememberedDays = 35

/** By how many seconds the lists of two rounds overlap: an event may appear in the list after a later one. */
const overlap = 600

/** How far back the first round goes, in seconds. */
const firstRound = 3 * 86_400

/** News of Stripe. Events are hints to look at an account, and nothing else: they come late, twice, forged or never. */
export function createStripeEvents({ database, clock, stripe }: { database: Database; clock: Clock; stripe: Stripe }) {
  /**
   * Notes an event, and lets the sweep look at the account that it is about, if it is new. Both or neither. What is about
   * nothing, as thin events are, is ignored.
   */
  async function note(told: unknown): Promise<void> {
    const read = v.safeParse(event, told)
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

  /**
   * Disputes and refunds name their payment alone. One of a payment that Stripe does not know is about nobody, however
   * often it is told.
   */
  async function payerOf({ object, payment_intent: intent }: Told): Promise<string | null> {
    if ((object !== 'dispute' && object !== 'refund') || typeof intent !== 'string') return null
    try {
      return idOf((await stripe.paymentIntents.retrieve(intent)).customer)
    } catch (error) {
      if (isMissing(error)) return null
      throw translated(error)
    }
  }

  /** Lists what has happened since the last round, and notes what no webhook has told. */
  async function reconcile(stopping?: AbortSignal): Promise<void> {
    const [cursor] = await database('stripe_cursors').where({ name: 'events' }).select<{ seenAt: Date }[]>('seenAt')
    const since = later(cursor?.seenAt ?? later(clock.now(), -firstRound), -overlap)
    const gte = Math.floor(since.getTime() / 1000)
    let newest = cursor?.seenAt
    // Newest first. The cursor moves once all are noted, so a round that was cut off is made again.
    await asking(async () => {
      for await (const found of stripe.events.list({ types: [...heard], created: { gte }, limit: 100 })) {
        if (stopping?.aborted) throw new Error('the process stops')
        await note(found)
        newest = new Date(Math.max(found.created * 1000, newest?.getTime() ?? 0))
      }
    })
    if (!newest) return
    await database('stripe_cursors').insert({ name: 'events', seenAt: newest }).onConflict('name').merge(['seenAt'])
  }

  /** Forgets events that Stripe does not list any more. */
  const purge = async (): Promise<void> =>
    void (await database('stripe_events')
      .where('receivedAt', '<', later(clock.now(), -rememberedDays * 86_400))
      .delete())

  return { note, reconcile, purge }
}

/** Names of Stripe are short, and have no odd characters. */
const name = v.pipe(v.string(), v.maxLength(255), v.regex(/^[\w.]+$/))

/** What is read of an event. */
const event = v.object({ id: name, type: name, data: v.object({ object: v.looseObject({ object: name }) }) })
type Told = v.InferOutput<typeof event>['data']['object']

/** Whom an event is about. */
function customerIn({ object, id, customer }: Told): string | null {
  const told = object === 'customer' ? id : customer
  const found = typeof told === 'object' && told !== null && 'id' in told ? told.id : told
  return v.is(name, found) ? found : null
}
