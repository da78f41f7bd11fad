import { earliest, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Lease } from '../database/lease.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import type { Billing } from './billing.ts'
import type { Sandbox } from './gateways/sandbox/sandbox.ts'
import { nextGrantAt, timeOf } from './account-status.ts'
import type { AccountSweep } from './account-sweep.ts'

/** The most that one request may advance a clock: two months, as with Stripe's test clocks. */
export const longestStep = 62 * 86_400

/** Seconds until another request can take over from a killed process. */
const leaseSeconds = 60

/**
 * The sandbox clock of an account, which admins can advance: future renewals, failures and grants then happen
 * immediately and in order. Each account has its own clock, so one user's test does not renew others' subscriptions.
 */
export function createSandboxClock(context: {
  database: Database
  clock: Clock
  lease: Pick<Lease, 'holdAlone'>
  billing: Pick<Billing, 'credits' | 'purchases'>
  sweep: Pick<AccountSweep, 'attend'>
  due: Pick<Due, 'owner'>
  /** undefined if payments are real. */
  sandbox: Sandbox | undefined
}) {
  const { database, clock, lease, billing, sweep, due, sandbox } = context

  const read = async (ownerId: string): Promise<Account> => billing.credits.current(ownerId)

  /** Finishes a purchase in progress, and what the sweep would do within seconds: they belong to the time before. */
  async function finish(ownerId: string): Promise<void> {
    const payment = await billing.purchases.pending(database, ownerId)
    if (payment) await billing.purchases.send(payment)
    await sweep.attend(ownerId)
  }

  async function moveTo(ownerId: string, clockSeconds: number): Promise<void> {
    await database.transaction(async (trx) => {
      await Account.query(trx).findById(ownerId).patch({ clockSeconds })
      // Runs may be waiting for a month of this clock to end.
      await due.owner(trx, ownerId)
    })
    await sweep.attend(ownerId)
    await read(ownerId)
  }

  /** How many seconds ahead the clock is at the next event, at most `target`. */
  async function nextStop(ownerId: string, target: number, events: Sandbox): Promise<number> {
    const now = clock.now()
    const account = await read(ownerId)
    const at = earliest(nextGrantAt(timeOf(account, now)), await events.nextEventAt(ownerId))
    // Rounded up, so that the event is included.
    const ahead = Math.ceil((at.getTime() - now.getTime()) / 1000)
    return Math.min(target, Math.max(ahead, account.clockSeconds + 1))
  }

  async function advanceTo(ownerId: string, target: number, events: Sandbox): Promise<void> {
    for (let at = -1; at < target;) {
      at = await nextStop(ownerId, target, events)
      await moveTo(ownerId, at)
    }
  }

  /**
   * Advances a user's account clock by some seconds and applies all due events. Returns its time. NOT_FOUND (no such
   * user, or no sandbox), RATE_LIMITED while another request advances it.
   */
  async function advance(userId: string, seconds: number): Promise<Date> {
    const real = 'This installation has no payment sandbox. Only sandbox clocks can be advanced.'
    assertThat(sandbox, 'NOT_FOUND', { message: real })
    const user: unknown = isId(userId) && (await database('users').where({ id: userId }).first('id'))
    assertThat(user, 'NOT_FOUND', { message: 'There is no user with this id.' })
    const held = await lease.holdAlone(`clock ${userId}`, leaseSeconds)
    const message = "This account's clock is already being advanced. Wait for that to finish."
    if (!held) throw new CodedError('RATE_LIMITED', { message, retryAfter: leaseSeconds })
    try {
      await finish(userId)
      const { clockSeconds } = await read(userId)
      await advanceTo(userId, clockSeconds + seconds, sandbox)
      return timeOf(await read(userId), clock.now())
    } finally {
      await held.release()
    }
  }

  return { advance }
}
