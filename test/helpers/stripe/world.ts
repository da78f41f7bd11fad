import type { Clock } from '../../../src/clock.ts'
import { existing, invalid } from './problem.ts'
import type {
  Charge,
  Customer,
  Dispute,
  Intent,
  Invoice,
  List,
  Method,
  Price,
  Schedule,
  StripeEvent,
  Subscription,
  Transaction,
} from './shapes.ts'

export function createWorld(clock: Clock) {
  let made = 0
  const now = (): number => Math.floor(clock.now().getTime() / 1000)
  const newThing = <Kind extends string>(prefix: string, object: Kind, metadata: Record<string, string> = {}) => {
    made += 1
    return { id: `${prefix}_${String(made).padStart(6, '0')}double`, object, created: now(), metadata }
  }
  const events: StripeEvent[] = []
  const world = {
    now,
    newThing,
    customers: new Map<string, Customer>(),
    deleted: new Set<string>(),
    methods: new Map<string, Method>(),
    prices: new Map<string, Price>(),
    products: new Set<string>(),
    subscriptions: new Map<string, Subscription>(),
    schedules: new Map<string, Schedule>(),
    invoices: new Map<string, Invoice>(),
    intents: new Map<string, Intent>(),
    charges: new Map<string, Charge>(),
    disputes: new Map<string, Dispute>(),
    transactions: new Map<string, Transaction>(),
    events,

    /** Records an event with the current state of an object. */
    emit(type: string, object: object): void {
      const event = newThing('evt', 'event')
      events.push({ ...event, type, api_version: '2026-08-26.dahlia', data: { object: structuredClone(object) } })
    },

    customer: (id: string): Customer => existing(world.customers.get(id), 'customer', id),
    subscription: (id: string): Subscription => existing(world.subscriptions.get(id), 'subscription', id),
    invoice: (id: string): Invoice => existing(world.invoices.get(id), 'invoice', id),
    price: (id: string): Price => existing(world.prices.get(id), 'price', id),

    /** A price that is still active. */
    activePrice(id: string): Price {
      const price = world.price(id)
      if (!price.active) throw invalid('The price specified is inactive. This field only accepts active prices.')
      return price
    },
  }
  return world
}

export type World = ReturnType<typeof createWorld>

export const listOf = <T>(data: T[], url: string, hasMore = false): List<T> => ({
  object: 'list',
  data,
  has_more: hasMore,
  url,
})
