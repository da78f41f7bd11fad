import type { Clock } from '../clock.ts'
import { afterCommit } from '../database/after-commit.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Claimed } from './claim-callbacks.ts'
import { CallbackAttempt } from './callback-attempt.ts'
import { Callback } from './callback.ts'
import type { Attempted } from './post.ts'
import { nextAttempt } from './retry-schedule.ts'
import { notifyFailed } from './notify-failed.ts'

/** Records the outcomes of attempts, and notifies owners of callbacks that are given up. */
export function createRecordOutcome(context: {
  database: Database
  clock: Clock
  metrics: Pick<Metrics, 'callbacksEnded'>
  notifications: Notifications
}) {
  const { database, clock, metrics, notifications } = context

  const count = (trx: Transaction, { ownerId }: Claimed, status: 'delivered' | 'failed'): void => {
    if (ownerId !== systemOwnerId) afterCommit(trx, () => metrics.callbacksEnded.inc({ status }))
  }

  /** A recorded attempt never changes. */
  async function record(trx: Transaction, { id: callbackId, attempt }: Claimed, attempted: Attempted): Promise<void> {
    const { at, httpStatus, outcome, latencyMs } = attempted
    await CallbackAttempt.query(trx)
      .insert({ callbackId, attempt, at, httpStatus, outcome, latencyMs })
      .onConflict(['callbackId', 'attempt'])
      .ignore()
  }

  /** Only the latest attempt decides about a retry. Any attempt can deliver. */
  async function conclude(trx: Transaction, claimed: Claimed, attempted: Attempted): Promise<void> {
    const { id, attempt, tries, giveUpAt } = claimed
    const now = clock.now()
    const pending = Callback.query(trx).findById(id).where({ status: 'pending' })
    if (attempted.kind === 'delivered') {
      if ((await pending.patch({ status: 'delivered', nextAt: null, endedAt: now })) > 0)
        count(trx, claimed, 'delivered')
      return
    }
    const { retryAfter, kind } = attempted
    const nextAt = nextAttempt({ tries, now, giveUpAt, retryAfter, gone: kind === 'gone' })
    const latest = pending.where({ attempts: attempt })
    if (nextAt) await latest.patch({ nextAt })
    else if ((await latest.patch({ status: 'failed', nextAt: null, endedAt: now })) > 0) {
      count(trx, claimed, 'failed')
      await notifyFailed(trx, notifications, claimed, { failure: attempted.outcome, now })
    }
  }

  /** Safe to repeat, because a commit may succeed and lose its response. */
  return (claimed: Claimed, attempted: Attempted): Promise<void> =>
    database.transaction(async (trx) => {
      await record(trx, claimed, attempted)
      await conclude(trx, claimed, attempted)
    })
}
