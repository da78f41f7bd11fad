import type { Database } from '../database/database.ts'
import { assertThat, CodedError, isCoded } from '../errors.ts'
import { Account } from './account.ts'
import type { Asked, BillingRequest } from './billing-request.ts'
import type { Credits } from './credits.ts'
import type { Gateway, When } from './gateways/gateway.ts'
import type { PollGateway } from './poll-gateway.ts'
import type { PaymentMethods } from './payment-methods.ts'
import { isSame, mayCharge, planFor } from './plan.ts'
import type { GatewayRequests } from './gateway-requests.ts'
import type { AccountStatus } from './account-status.ts'
import { isPaidTier, paidTierNames, type PaidTierName } from './tiers.ts'

/** More steps than any change needs. Beyond it, other requests keep changing the subscription. */
const mostSteps = 6

/** Starts, changes and ends subscriptions at the gateway. */
export function createSubscriptions(context: {
  database: Database
  gateway: Gateway
  credits: Credits
  polling: PollGateway
  requests: GatewayRequests
  paymentMethods: PaymentMethods
}) {
  const { database, gateway, credits, polling, requests, paymentMethods } = context

  const standing = async (ownerId: string): Promise<AccountStatus> => credits.standing(await credits.current(ownerId))

  /** The next request: one in progress, or what the rule wants; null if there is none. */
  const begin = (ownerId: string, rule: (account: Account) => Asked | null): Promise<Step | null> =>
    database.transaction(async (trx) => {
      const account = await credits.locked(ownerId, trx)
      const asked = rule(account)
      const pending = await requests.find(trx, ownerId)
      if (pending) return { request: pending, isOwn: asked !== null && isSame(pending, asked) }
      if (asked === null) return null
      if (mayCharge(asked, account)) await paymentMethods.assertCard(trx, ownerId)
      return { request: await requests.write(trx, ownerId, asked), isOwn: true }
    })

  /**
   * Resolves the requests of others first; a refusal of theirs is not ours to report. Returns whether our request was
   * performed.
   */
  async function send({ request, isOwn }: Step): Promise<boolean> {
    try {
      return (await requests.send(request)) && isOwn && request.action !== 'pay_overdue'
    } catch (error) {
      if (isOwn || !isCoded(error, 'PAYMENT_FAILED')) throw error
      return false
    }
  }

  /** Sends requests step by step until the rule wants no more or ours is performed. */
  async function runSteps(ownerId: string, rule: (account: Account) => Asked | null): Promise<AccountStatus> {
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const step = await begin(ownerId, rule)
      if (!step) return standing(ownerId)
      if (await send(step)) return standing(ownerId)
    }
    throw new CodedError('RATE_LIMITED', {
      message: 'Other requests are changing the subscription. Try again in a minute.',
      retryAfter: 60,
    })
  }

  /**
   * Changes to a tier now or after the paid period. Pays overdue amounts first. The current tier revokes a cancellation
   * or a change. Safe to repeat. VALIDATION_ERROR, NO_PAYMENT_METHOD, PAYMENT_FAILED (then nothing changes).
   */
  async function subscribe(
    ownerId: string,
    request: { tier: string; when?: When | undefined },
  ): Promise<AccountStatus> {
    const tier = readPaidTier(request.tier)
    return runSteps(ownerId, (account) => planFor(account, tier, request.when))
  }

  /**
   * Returns to the free tier at the end of the paid month, or now with credit for the rest. A past-due subscription
   * always ends now. Safe to repeat. NOT_FOUND on the free tier.
   */
  async function cancel(ownerId: string, when: When = 'period_end'): Promise<AccountStatus> {
    const { subscription: present } = await standing(ownerId)
    assertThat(present, 'NOT_FOUND', { message: 'There is no subscription. Your tier is free.' })
    return runSteps(ownerId, ({ subscription, nextTier }) => {
      const isDone = subscription === null || (when === 'period_end' && nextTier === 'free')
      return isDone ? null : { action: 'cancel', subscription, tier: null, at: when }
    })
  }

  /** Cancels the subscription of an account marked for deletion, so it does not renew. Safe to repeat. */
  async function rest(ownerId: string): Promise<void> {
    const { isClosing, subscription, nextTier } = await credits.current(ownerId)
    if (isClosing && subscription !== null && nextTier !== 'free') await cancel(ownerId)
  }

  /** Ends the subscription, if any, of an account that is being deleted. Safe to repeat. */
  async function close(ownerId: string): Promise<void> {
    const account = await Account.query(database).findById(ownerId)
    if (!account || account.subscription === null) return
    await gateway.cancel(account.subscription, 'now')
    await polling.poll(ownerId)
  }

  return { subscribe, cancel, rest, close }
}

/** A request to send, and whether it is our own. */
interface Step {
  request: BillingRequest
  isOwn: boolean
}

function readPaidTier(name: string): PaidTierName {
  if (isPaidTier(name)) return name
  throw new CodedError('VALIDATION_ERROR', {
    message: 'You cannot subscribe to this tier.',
    details: [{ path: 'tier', message: `Must be one of ${paidTierNames.join(', ')}.` }],
  })
}
