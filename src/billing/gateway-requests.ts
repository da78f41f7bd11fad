import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { CodedError, isCoded } from '../errors.ts'
import { newId } from '../ids.ts'
import { BillingRequest, type Asked } from './billing-request.ts'
import type { Gateway } from './gateways/gateway.ts'
import { mayResend, mayStillArrive } from './resend-window.ts'
import { pollBy, type PollGateway } from './poll-gateway.ts'

/** The sweep resolves requests that are unfinished after this many seconds. */
export const sweptAfter = 60

/**
 * Subscription changes in progress. Each is stored first and then sent without a lock. Any process can resend it under
 * the same key, and the gateway performs it once.
 */
export function createGatewayRequests(context: {
  database: Database
  clock: Clock
  gateway: Gateway
  polling: PollGateway
}) {
  const { database, clock, gateway, polling } = context

  const find = (trx: Transaction | Database, ownerId: string) => BillingRequest.query(trx).findById(ownerId)

  /** Stores a request. The account is locked and has no other one. */
  async function write(trx: Transaction, ownerId: string, asked: Asked): Promise<BillingRequest> {
    const row = BillingRequest.fromJson({ ownerId, id: newId(), ...asked, createdAt: clock.now() })
    await BillingRequest.query(trx).insert(row)
    await pollBy(trx, ownerId, later(clock.now(), sweptAfter))
    return row
  }

  const ask = async ({ ownerId, id: key, action, subscription, tier, at }: BillingRequest): Promise<void> => {
    if (action === 'subscribe' && tier) {
      return gateway.subscribe({ customer: await polling.customerOf(ownerId), tier, key })
    }
    if (subscription === null) return
    if (action === 'change' && tier) return gateway.change({ subscription, tier, when: at ?? 'now', key })
    if (action === 'cancel') return gateway.cancel(subscription, at ?? 'now')
    if (action === 'keep') return gateway.keep(subscription)
    if (action === 'pay_overdue') return gateway.payOverdue(subscription, key)
  }

  const forget = ({ ownerId, id }: BillingRequest) => find(database, ownerId).delete().where({ id })

  /** Polls the result of a request that is no longer resent, and deletes it. */
  async function giveUp(request: BillingRequest): Promise<false> {
    await polling.poll(request.ownerId)
    if (mayStillArrive(request.createdAt, clock.now()))
      throw new CodedError('RATE_LIMITED', { message, retryAfter: 60 })
    await forget(request)
    return false
  }

  /**
   * Sends a request and polls its result. Returns whether it was performed; false if its subscription has changed or it
   * was given up. PAYMENT_FAILED if refused; other errors leave it for a resend. RATE_LIMITED shortly before it is
   * given up.
   */
  async function send(request: BillingRequest): Promise<boolean> {
    if (!mayResend(request.createdAt, clock.now())) return giveUp(request)
    const refusal = await ask(request).then(
      () => undefined,
      (error: unknown) => {
        // NOT_FOUND: the subscription has ended meanwhile. The poll sees that.
        if (isCoded(error, 'PAYMENT_FAILED') || isCoded(error, 'NOT_FOUND')) return error
        throw error
      },
    )
    await polling.poll(request.ownerId)
    await forget(request)
    if (refusal?.code === 'PAYMENT_FAILED') throw refusal
    return refusal === undefined
  }

  return { find, write, send }
}

const message = 'The result of an earlier change is not yet known. Try again in a few minutes.'

export type GatewayRequests = ReturnType<typeof createGatewayRequests>
