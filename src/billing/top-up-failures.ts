import type { Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Account } from './account.ts'

/** After so many failures in a row, nothing is bought automatically any more. */
export const mostFailures = 3

/** Counts the failures of automatic purchases, in the transaction that records each. */
export function createTopUpFailures(context: { clock: Clock; notifications: Pick<Notifications, 'notify'> }) {
  const { clock, notifications } = context

  /** Switches it off, and says so once. */
  async function switchOff(trx: Transaction, ownerId: string, failure: string | null): Promise<void> {
    await Account.query(trx).findById(ownerId).patch({ topUpIsOn: false })
    await notifications.notify(trx, {
      ownerId,
      kind: 'top_up_off',
      subjectId: ownerId,
      key: clock.now().toISOString(),
      title: 'Credits are not bought automatically any more',
      message: `${mostFailures} payments in a row have failed. The last one: ${failure ?? 'The card was declined.'} Add another payment method, and switch it on again with PUT /billing/top-up.`,
    })
  }

  return {
    async count(trx: Transaction, ownerId: string, failure: string | null): Promise<void> {
      const [counted] = await trx('accounts')
        .where({ ownerId })
        .increment('topUpFailures')
        .returning<{ topUpFailures: number }[]>('topUpFailures')
      if (counted && counted.topUpFailures >= mostFailures) await switchOff(trx, ownerId, failure)
    },

    /** A success begins anew. */
    async forget(trx: Transaction, ownerId: string): Promise<void> {
      await Account.query(trx).findById(ownerId).patch({ topUpFailures: 0 })
    },
  }
}

export type TopUpFailures = ReturnType<typeof createTopUpFailures>
