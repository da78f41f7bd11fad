import { earliest, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Lease } from '../database/lease.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import type { Billing } from './billing.ts'
import type { Sandbox } from './gateways/sandbox/sandbox.ts'
import { nextGrantAt, timeOf } from './standing.ts'
import type { Sweep } from './sweep.ts'

/** How far one request may advance a clock: two months, as Stripe's test clocks. */
export const longestStep = 62 * 86_400

/** Seconds after which another request may continue where a process was killed. */
const leaseSeconds = 60

/**
 * The clock of an account in the sandbox, which admins can advance: renewals, failures and grants of months to come happen
 * at once and in order, and nobody else's clock moves. One clock
 * for all would renew everybody's subscriptions because one person tries something.
 */
export function createSandboxClock(context: {
  database: Database
  clock: Clock
  lease: Pick<Lease, 'holdAlone'>
  billing: Pick<Billing, 'credits' | 'purchases'>
  sweep: Pick<Sweep, 'attend'>
  due: Pick<Due, 'owner'>
  /** undefined where payments are real. */
  sandbox: Sandbox | undefined
}) {
  const { database, clock, lease, billing, sweep, due, sandbox } = context

  const read = async (ownerId: string): Promise<Account> => billing.credits.current(ownerId)

  /** A purchase that is in progress belongs to the time before, and so does what the sweep would do within seconds. */
  async function finish(ownerId: string): Promise<void> {
    const payment = await billing.purchases.pending(database, ownerId)
    if (payment) await billing.purchases.send(payment)
    await sweep.attend(ownerId)
  }

  async function moveTo(ownerId: string, clockSeconds: number): Promise<void> {
    await database.transaction(async (trx) => {
      await Account.query(trx).findById(ownerId).patch({ clockSeconds })
      // Runs may have waited for a month of this clock to end.
      await due.owner(trx, ownerId)
    })
    await sweep.attend(ownerId)
    await read(ownerId)
  }

  /** The seconds by which the clock is ahead at the next thing that happens, `target` at most. */
  async function nextStop(ownerId: string, target: number, events: Sandbox): Promise<number> {
    const now = clock.now()
    const account = await read(ownerId)
    const at = earliest(nextGrantAt(timeOf(account, now)), await events.nextEventAt(ownerId))
    // The whole second that has it.
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
   * Advances the clock of a user's account by so many seconds, and lets everything happen that is due until then. Returns
   * its time. NOT_FOUND (no such user, or no sandbox), RATE_LIMITED while another request advances it.
   */
  async function advance(userId: string, seconds: number): Promise<Date> {
    const real = 'This installation has no payment sandbox. Only sandbox clocks can be advanced.'
    assertThat(sandbox, 'NOT_FOUND', { message: real })
    const user: unknown = isId(userId) && (await database('users').where({ id: userId }).first('id'))
    assertThat(user, 'NOT_FOUND', { message: 'There is no user with this id.' })
    const held = await lease.holdAlone(`clock ${userId}`, leaseSeconds)
    const message = 'The clock of this account is already being advanced. Wait for that to finish.'
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
