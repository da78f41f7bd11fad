import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { createPreview } from './preview.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Due } from '../runs/due.ts'
import type { Allowances } from './allowances.ts'
import { createCredits } from './credits.ts'
import type { Gateway } from './gateways/gateway.ts'
import { createPollGateway } from './poll-gateway.ts'
import { createOverdueNotices } from './overdue-notices.ts'
import { createPaymentMethods } from './payment-methods.ts'
import { agentCreditsLeft, boundsOf } from '../owners/workspace-months.ts'
import { createPayments } from './payments.ts'
import { createPromotions } from './ledger/promotions.ts'
import { createPurchases } from './purchases.ts'
import { createGatewayRequests } from './gateway-requests.ts'
import { createStatements } from './ledger/statements.ts'
import { createUsage } from './ledger/usage.ts'
import { agentAccountStatus, timeOf, type AccountStatus } from './account-status.ts'
import { createStoredBytes } from './stored-bytes.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTopUpFailures } from './top-up-failures.ts'
import { createTopUps } from './top-ups.ts'

/** Tiers, subscriptions and credits of owners. */
export function createBilling(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays' | 'centsPerHundredCredits' | 'billing'>
  allowances: Allowances
  gateway: Gateway
  due: Due
  notifications: Pick<Notifications, 'notify'>
}) {
  const { database, clock } = context
  const credits = createCredits(context)
  const payments = createPayments({ ...context, credits, topUpFailures: createTopUpFailures(context) })
  const polling = createPollGateway({ ...context, credits, payments, overdue: createOverdueNotices(context) })
  const parts = { ...context, credits, payments, polling }
  const paymentMethods = createPaymentMethods(parts)
  const requests = createGatewayRequests(parts)
  const purchases = createPurchases({ ...parts, paymentMethods })

  async function account(ownerId: string, trx?: Transaction): Promise<AccountStatus> {
    const found = await credits.current(ownerId, trx)
    const now = clock.now()
    if (found.ownerId === ownerId) return credits.standing(found)
    const bounds = await boundsOf(trx ?? database, ownerId, timeOf(found, now))
    return credits.standing(found, { ownerId, ...bounds })
  }

  return {
    /** The owner's standing, in one query. The first call of a month also makes the month's grant. */
    account,

    /** The owner's standing for a run of an agent, including the agent's own cap. */
    async accountFor(
      agent: Pick<Agent, 'id' | 'ownerId' | 'creditsPerMonth'>,
      trx?: Transaction,
    ): Promise<AccountStatus> {
      const standing = await account(agent.ownerId, trx)
      if (agent.creditsPerMonth === null) return standing
      const left = agentCreditsLeft(clock.now())
      const found = await Agent.query(trx ?? database)
        .findById(agent.id)
        .select(left)
      return found ? agentAccountStatus(standing, found) : standing
    },

    credits,
    statements: createStatements({ ...context, credits }),
    usage: createUsage(context),
    preview: createPreview({ ...context, credits }),
    promotions: createPromotions({ ...context, credits }),
    polling,
    payments,
    paymentMethods,
    purchases,
    requests,
    storedBytes: createStoredBytes(context),
    subscriptions: createSubscriptions({ ...parts, paymentMethods, requests }),
    topUps: createTopUps({ ...parts, paymentMethods, purchases }),
  }
}

export type Billing = ReturnType<typeof createBilling>
