import { consoleHome } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Account } from './account.ts'
import { overdueTierOf } from './plan.ts'

/** Notifies owners of an unpaid month and of a subscription that ended unpaid, in the transaction that records it. */
export function createOverdueNotices({ notifications }: { notifications: Pick<Notifications, 'notify'> }) {
  /** Keyed by the end of the paid period, so each overdue month notifies once. */
  const notify = (trx: Transaction, { ownerId, currentPeriodEnd }: Account, kind: Kind, message: string) =>
    notifications.notify(trx, {
      ownerId,
      kind,
      subjectId: ownerId,
      key: currentPeriodEnd?.toISOString() ?? '',
      consolePage: consoleHome,
      title: titles[kind],
      message,
    })

  return {
    /** Compares an account before and after a poll. */
    async notifyChange(trx: Transaction, before: Account, after: Account): Promise<void> {
      const wasOverdue = before.subscriptionStatus === 'past_due'
      if (!wasOverdue && after.subscriptionStatus === 'past_due') {
        const message = `A monthly payment for the ${overdueTierOf(after)} tier was declined. We will retry the payment for a few days, and then the subscription will end. Until the payment succeeds, webhook deliveries are rejected, runs of webhook agents wait, and you cannot buy credits. Pay now with POST /billing/subscription. If necessary, add another payment method first.`
        await notify(trx, after, 'subscription_past_due', message)
      }
      if (wasOverdue && after.subscription === null) {
        const message = `The last month of the ${overdueTierOf(before)} tier was not paid for, so your tier is now ${after.tier}. Nothing was deleted. To choose a tier, use POST /billing/subscription.`
        await notify(trx, before, 'subscription_ended', message)
      }
    },
  }
}

export type OverdueNotices = ReturnType<typeof createOverdueNotices>

type Kind = 'subscription_past_due' | 'subscription_ended'

const titles: Record<Kind, string> = {
  subscription_past_due: 'A payment for your subscription is overdue',
  subscription_ended: 'Your subscription has ended because it was not paid',
}
