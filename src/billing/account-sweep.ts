import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isCoded } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { Account } from './account.ts'
import type { Billing } from './billing.ts'
import type { FitToLimits } from './fit-to-limits.ts'
import { pollBy, nextPollAt } from './poll-gateway.ts'
import { sweptAfter } from './gateway-requests.ts'
import { topUpAt } from './top-ups.ts'
import { beginRound } from '../database/batches.ts'

/** How many accounts a round handles at a time. */
const lanes = 4

/**
 * Handles accounts that are due (`look_at`): resolves unfinished requests and payments, polls the gateway, makes
 * automatic purchases, and fits the account to its limits. Any process can run it at any time.
 */
export function createAccountSweep(context: {
  database: Database
  clock: Clock
  logger: Logger
  billing: Pick<Billing, 'credits' | 'polling' | 'purchases' | 'requests' | 'subscriptions' | 'topUps'>
  exceeding: Pick<FitToLimits, 'fit' | 'afterChange'>
  config: Pick<Config, 'billing'>
}) {
  const { database, clock, logger, billing, exceeding, config } = context
  let isBegun = false

  /** Resends unfinished requests, except recent ones, whose process may still be working. */
  async function finish(ownerId: string): Promise<void> {
    const request = await billing.requests.find(database, ownerId)
    if (!request) return
    const since = later(request.createdAt, sweptAfter)
    if (since > clock.now()) return database.transaction((trx) => pollBy(trx, ownerId, since))
    await billing.requests.send(request).catch((error: unknown) => {
      // RATE_LIMITED: the request is about to be given up.
      if (!isCoded(error, 'PAYMENT_FAILED') && !isCoded(error, 'RATE_LIMITED')) throw error
    })
  }

  /** Does what is due for an account. Throws the gateway's errors. */
  async function attend(ownerId: string): Promise<void> {
    if (config.billing.mode === 'off') return exceeding.fit(ownerId)
    try {
      // Poll even after a failure: the state may have changed.
      const [finished] = await Promise.allSettled([finish(ownerId)])
      await billing.subscriptions.rest(ownerId)
      await billing.polling.poll(ownerId)
      await billing.topUps.perform(ownerId)
      if (finished.status === 'rejected') throw finished.reason
    } finally {
      await exceeding.fit(ownerId)
    }
  }

  /** Claims an account for a minute; after that another process can take it. */
  async function take(): Promise<Account | undefined> {
    const bindings = { now: clock.now(), until: later(clock.now(), sweptAfter) }
    const { rows } = await database.raw<{ rows: { ownerId: string }[] }>(takeStatement, bindings)
    return rows[0] && Account.query(database).findById(rows[0].ownerId)
  }

  /** Whether a request or a payment is still in progress. */
  const isOpen = async (trx: Transaction, ownerId: string) =>
    (await billing.requests.find(trx, ownerId)) ?? (await billing.purchases.pending(trx, ownerId))

  /** Schedules the account's next turn, unless an earlier one was requested meanwhile. */
  async function note({ ownerId, lookAt }: Account): Promise<void> {
    await database.transaction(async (trx) => {
      const account = await Account.query(trx).findById(ownerId).forUpdate()
      if (account?.lookAt?.getTime() !== lookAt?.getTime()) return
      await Account.query(trx).findById(ownerId).patch({ lookAt: null })
      if (!account) return
      if (config.billing.mode === 'off') return
      await pollBy(trx, ownerId, nextPollAt(account, clock.now()))
      await pollBy(trx, ownerId, topUpAt(account, clock.now()))
      if (await isOpen(trx, ownerId)) await pollBy(trx, ownerId, later(clock.now(), sweptAfter))
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
        logger.warn({ err: error, ownerId: account.ownerId }, 'failed to process an account; will retry')
      }
    }
  }

  return {
    attend,

    /** One round. Several processes can run rounds at the same time: each claims different accounts. */
    async round(stopping?: AbortSignal): Promise<void> {
      if (!isBegun) await exceeding.afterChange()
      isBegun = true
      const isOver = beginRound(stopping)
      await Promise.all(Array.from({ length: lanes }, () => lane(isOver)))
    },
  }
}

export type AccountSweep = ReturnType<typeof createAccountSweep>

const takeStatement = `
  update accounts set look_at = :until
   where owner_id = (select owner_id from accounts where look_at <= :now order by look_at limit 1 for update skip locked)
  returning owner_id as "ownerId"`
