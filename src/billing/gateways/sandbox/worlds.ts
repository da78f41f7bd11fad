import { later, type Clock } from '../../../clock.ts'
import type { Database, Transaction } from '../../../database/database.ts'
import { regardless } from '../../../database/while-permitted.ts'
import type { PaidTierName } from '../../tiers.ts'
import type { GatewayPayment } from '../gateway.ts'
import { settle, type SandboxSubscription, type World } from './rules.ts'

/** How long payments are reported, in days. */
const reportedDays = 60

/** The sandbox's customers, in their own tables. A row lock ensures that each event happens once. */
export function createWorlds({ database, clock }: { database: Database; clock: Clock }) {
  /** The account's time, which an admin may have advanced. */
  async function timeOf(trx: Transaction, ownerId: string): Promise<Date> {
    const account: { clockSeconds: number } | undefined = await trx('accounts').where({ ownerId }).first('clockSeconds')
    return later(clock.now(), account?.clockSeconds ?? 0)
  }

  async function load(trx: Transaction, ownerId: string): Promise<World> {
    await trx('sandbox_customers').insert({ ownerId }).onConflict('owner_id').ignore()
    const [customer] = await trx('sandbox_customers').where({ ownerId }).forUpdate().select<Credit[]>('creditCents')
    const card = await trx('sandbox_cards').where({ ownerId }).orderBy('id', 'desc').first<Card | undefined>('method')
    const columns = ['reference', 'tier', 'status', 'nextTier', 'anchor', 'months', 'cancelledAt', 'overdue', 'retries']
    const subscription = await trx('sandbox_subscriptions').where({ ownerId }).first<Found>(columns)
    return {
      creditCents: customer?.creditCents ?? 0,
      card: card?.method ?? null,
      subscription: subscription ?? null,
      payments: [],
    }
  }

  async function store(trx: Transaction, ownerId: string, { subscription, creditCents, payments }: World) {
    await trx('sandbox_customers').where({ ownerId }).update({ creditCents })
    if (subscription) {
      await trx('sandbox_subscriptions')
        .insert({ ownerId, ...subscription })
        .onConflict('owner_id')
        .merge()
    } else await trx('sandbox_subscriptions').where({ ownerId }).delete()
    for (const { left, ...payment } of payments) {
      await trx('sandbox_payments')
        .insert({ ownerId, ...payment, leftTier: left?.tier ?? null, leftCents: left?.cents ?? null })
        .onConflict(['owner_id', 'reference'])
        .merge(['status', 'failure', 'cents', 'fromCreditCents'])
    }
  }

  /** Applies due events, then does the work, in one transaction. */
  const visit = <T>(ownerId: string, work: (world: World, now: Date, trx: Transaction) => Promise<T> | T): Promise<T> =>
    regardless(() =>
      database.transaction(async (trx) => {
        const world = await load(trx, ownerId)
        const now = await timeOf(trx, ownerId)
        settle(world, now)
        const result = await work(world, now, trx)
        await store(trx, ownerId, world)
        return result
      }),
    )

  async function payments(ownerId: string, now: Date): Promise<GatewayPayment[]> {
    const found = await database('sandbox_payments')
      .where({ ownerId })
      .where('createdAt', '>', later(now, -reportedDays * 86_400))
      .orderBy([
        { column: 'createdAt', order: 'desc' },
        { column: 'reference', order: 'desc' },
      ])
      .select<StoredPayment[]>(columnsOfPayment)
    return found.map(paymentOf)
  }

  async function paid(ownerId: string, key: string): Promise<GatewayPayment | undefined> {
    const found = await database('sandbox_payments').where({ ownerId, key }).first<StoredPayment>(columnsOfPayment)
    return found && paymentOf(found)
  }

  return { visit, payments, paid }
}

type StoredPayment = Omit<GatewayPayment, 'left'> & { leftTier: PaidTierName | null; leftCents: number | null }

const columnsOfPayment = [
  'reference',
  'key',
  'cents',
  'fromCreditCents',
  'status',
  'tier',
  'failure',
  'createdAt',
  'leftTier',
  'leftCents',
]

const paymentOf = ({ leftTier, leftCents, ...payment }: StoredPayment): GatewayPayment => ({
  ...payment,
  left: leftTier === null || leftCents === null ? null : { tier: leftTier, cents: leftCents },
})

interface Credit {
  creditCents: number
}

interface Card {
  method: string
}

type Found = SandboxSubscription | undefined
