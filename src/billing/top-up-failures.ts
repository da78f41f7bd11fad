import { later, type Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Account } from './account.ts'
import { timeOf } from './standing.ts'

/** After so many failures in a row, nothing is bought automatically any more. */
const mostFailures = 3

/** Seconds until another one is tried. */
const pause = 3600

/** Counts the failures of automatic purchases, in the transaction that records each. */
export function createTopUpFailures(context: { clock: Clock; notifications: Pick<Notifications, 'notify'> }) {
  const { clock, notifications } = context

  /** Switches it off, and says so. */
  async function switchOff(trx: Transaction, ownerId: string, why: string): Promise<void> {
    await Account.query(trx).findById(ownerId).patch({ topUpIsOn: false })
    await notifications.notify(trx, {
      ownerId,
      kind: 'top_up_off',
      subjectId: ownerId,
      key: clock.now().toISOString(),
      title: 'Automatic credit purchases are off',
      message: `${why} To turn automatic purchases on again, use PUT /billing/top-up.`,
    })
  }

  return {
    /** After a failure there is a pause, and after some in a row no more is bought. The account is locked. */
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

    /** One that was paid back is not to be bought again. The account is locked. */
    async stop(trx: Transaction, ownerId: string): Promise<void> {
      const { topUpIsOn } = await Account.query(trx).findById(ownerId).throwIfNotFound()
      if (topUpIsOn) await switchOff(trx, ownerId, 'A payment for an automatic credit purchase was refunded.')
    },

    /** A success begins anew. */
    async forget(trx: Transaction, ownerId: string): Promise<void> {
      await Account.query(trx).findById(ownerId).patch({ topUpFailures: 0, topUpAfter: null })
    },
  }
}

export type TopUpFailures = ReturnType<typeof createTopUpFailures>
