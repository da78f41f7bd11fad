import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isCoded } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { Account } from './account.ts'
import type { Billing } from './billing.ts'
import type { Exceedings } from './exceeding.ts'
import { lookBy, nextLookAt } from './look.ts'
import { sweptAfter } from './requests.ts'
import { topUpAt } from './top-ups.ts'
import { beginRound } from '../database/batches.ts'

/** How many accounts a round attends to at a time. */
const lanes = 4

/**
 * Attends to accounts whose time has come (`look_at`): finds out what became of requests and payments that nobody has
 * finished, asks the gateway, buys what is to be bought automatically, and fits what there is to the tier. Any process may
 * do it, at any moment again.
 */
export function createSweep(context: {
  database: Database
  clock: Clock
  logger: Logger
  billing: Pick<Billing, 'credits' | 'look' | 'purchases' | 'requests' | 'subscriptions' | 'topUps'>
  exceeding: Pick<Exceedings, 'fit' | 'afterChange'>
  config: Pick<Config, 'billing'>
}) {
  const { database, clock, logger, billing, exceeding, config } = context
  let isBegun = false

  /** Sends again what nobody has finished; what has just begun is somebody's still. */
  async function finish(ownerId: string): Promise<void> {
    const request = await billing.requests.find(database, ownerId)
    if (!request) return
    const since = later(request.createdAt, sweptAfter)
    if (since > clock.now()) return database.transaction((trx) => lookBy(trx, ownerId, since))
    await billing.requests.send(request).catch((error: unknown) => {
      // RATE_LIMITED: it is about to be given up.
      if (!isCoded(error, 'PAYMENT_FAILED') && !isCoded(error, 'RATE_LIMITED')) throw error
    })
  }

  /** Does for an account what is due. Throws what the gateway throws. */
  async function attend(ownerId: string): Promise<void> {
    if (config.billing.mode === 'off') return exceeding.fit(ownerId)
    try {
      // However it ends, there may be news.
      const [finished] = await Promise.allSettled([finish(ownerId)])
      await billing.subscriptions.rest(ownerId)
      await billing.look.look(ownerId)
      await billing.topUps.perform(ownerId)
      if (finished.status === 'rejected') throw finished.reason
    } finally {
      await exceeding.fit(ownerId)
    }
  }

  /** Takes an account; if this process is killed, another takes it in a minute. */
  async function take(): Promise<Account | undefined> {
    const bindings = { now: clock.now(), until: later(clock.now(), sweptAfter) }
    const { rows } = await database.raw<{ rows: { ownerId: string }[] }>(takeStatement, bindings)
    return rows[0] && Account.query(database).findById(rows[0].ownerId)
  }

  /** Whether something is in progress still. */
  const isOpen = async (trx: Transaction, ownerId: string) =>
    (await billing.requests.find(trx, ownerId)) ?? (await billing.purchases.pending(trx, ownerId))

  /** When it is attended to next, unless somebody has asked for that to be sooner. */
  async function note({ ownerId, lookAt }: Account): Promise<void> {
    await database.transaction(async (trx) => {
      const account = await Account.query(trx).findById(ownerId).forUpdate()
      if (account?.lookAt?.getTime() !== lookAt?.getTime()) return
      await Account.query(trx).findById(ownerId).patch({ lookAt: null })
      if (!account) return
      if (config.billing.mode === 'off') return
      await lookBy(trx, ownerId, nextLookAt(account, clock.now()))
      await lookBy(trx, ownerId, topUpAt(account, clock.now()))
      if (await isOpen(trx, ownerId)) await lookBy(trx, ownerId, later(clock.now(), sweptAfter))
    })
  }

  async function lane(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const account = await take()
      if (!account) return
      try {
        await attend(account.ownerId)
        await note(account)
      } catch (error) {
        logger.warn({ err: error, ownerId: account.ownerId }, 'failed to process an account; it will be retried')
      }
    }
  }

  return {
    attend,

    /** One round. Several processes may do theirs at once: each takes other accounts. */
    async round(stopping?: AbortSignal): Promise<void> {
      if (!isBegun) await exceeding.afterChange()
      isBegun = true
      const isOver = beginRound(stopping)
      await Promise.all(Array.from({ length: lanes }, () => lane(isOver)))
    },
  }
}

export type Sweep = ReturnType<typeof createSweep>

const takeStatement = `
  update accounts set look_at = :until
   where owner_id = (select owner_id from accounts where look_at <= :now order by look_at limit 1 for update skip locked)
  returning owner_id as "ownerId"`
