import { later, type Clock } from '../clock.ts'
import { consoleHome } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Account } from './account.ts'
import { timeOf } from './account-status.ts'

/** Automatic purchases stop after this many failures in a row. */
const mostFailures = 3

/** The pause after a failure, in seconds. */
const pause = 3600

/** Counts failed automatic purchases, in the transaction that records each. */
export function createTopUpFailures(context: { clock: Clock; notifications: Pick<Notifications, 'notify'> }) {
  const { clock, notifications } = context

  /** Turns automatic purchases off and notifies the owner. */
  async function switchOff(trx: Transaction, ownerId: string, why: string): Promise<void> {
    await Account.query(trx).findById(ownerId).patch({ topUpEnabled: false })
    await notifications.notify(trx, {
      ownerId,
      kind: 'top_up_off',
      subjectId: ownerId,
      key: clock.now().toISOString(),
      consolePage: consoleHome,
      title: 'Automatic credit purchases are off',
      message: `${why} To turn automatic purchases on again, use PUT /billing/top-up.`,
    })
  }

  return {
    /** Pauses after a failure, and turns purchases off after several in a row. The account is locked. */
    async count(trx: Transaction, ownerId: string, failure: string | null): Promise<void> {
      const account = await Account.query(trx).findById(ownerId).throwIfNotFound()
      const topUpFailures = account.topUpFailures + 1
      const topUpAfter = later(timeOf(account, clock.now()), pause)
      await Account.query(trx).findById(ownerId).patch({ topUpFailures, topUpAfter })
      if (topUpFailures < mostFailures) return
      const last = failure ?? 'The card was declined.'
      const why = `${mostFailures} payments in a row have failed. The last failure was: ${last}`
      await switchOff(trx, ownerId, why)
    },

    /** Turns purchases off after a refund, so the credits are not bought again. The account is locked. */
    async stop(trx: Transaction, ownerId: string): Promise<void> {
      const { topUpEnabled } = await Account.query(trx).findById(ownerId).throwIfNotFound()
      if (topUpEnabled) await switchOff(trx, ownerId, 'A payment for an automatic credit purchase was refunded.')
    },

    async forget(trx: Transaction, ownerId: string): Promise<void> {
      await Account.query(trx).findById(ownerId).patch({ topUpFailures: 0, topUpAfter: null })
    },
  }
}

export type TopUpFailures = ReturnType<typeof createTopUpFailures>
