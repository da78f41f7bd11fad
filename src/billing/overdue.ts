import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Account } from './account.ts'
import { overdueTierOf } from './plan.ts'

/** Tells owners that a month was not paid, and that a subscription has ended so, in the transaction that records it. */
export function createOverdue({ notifications }: { notifications: Pick<Notifications, 'notify'> }) {
  /** The month that is overdue began then; each is told of once. */
  const notify = (trx: Transaction, { ownerId, currentPeriodEnd }: Account, kind: Kind, message: string) =>
    notifications.notify(trx, {
      ownerId,
      kind,
      subjectId: ownerId,
      key: currentPeriodEnd?.toISOString() ?? '',
      title: titles[kind],
      message,
    })

  return {
    /** Compares an account before and after a look at the gateway. */
    async tell(trx: Transaction, before: Account, after: Account): Promise<void> {
      const wasOverdue = before.subscriptionStatus === 'past_due'
      if (!wasOverdue && after.subscriptionStatus === 'past_due') {
        const message = `The payment for a month of the tier ${overdueTierOf(after)} was refused. It is tried again for some days, then the subscription ends. Until it is paid, deliveries are refused, runs that webhooks have started wait, and credits cannot be bought. Add another payment method if need be, and pay at once with POST /billing/subscription.`
        await notify(trx, after, 'subscription_past_due', message)
      }
      if (wasOverdue && after.subscription === null) {
        const message = `The last month of the tier ${overdueTierOf(before)} was not paid, so your tier is ${after.tier} now. Nothing was deleted. Choose a tier with POST /billing/subscription.`
        await notify(trx, before, 'subscription_ended', message)
      }
    },
  }
}

export type Overdue = ReturnType<typeof createOverdue>

type Kind = 'subscription_past_due' | 'subscription_ended'

const titles: Record<Kind, string> = {
  subscription_past_due: 'A payment for your subscription is overdue',
  subscription_ended: 'Your subscription has ended without being paid',
}
