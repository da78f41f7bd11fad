import type { Clock } from '../clock.ts'
import { afterCommit } from '../database/after-commit.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import { CallbackAttempt } from './callback-attempt.ts'
import { isOfRun, type Callback } from './callback.ts'
import { failureOf } from './failure.ts'
import { notifyFailed } from './notify-failed.ts'

/** The most callbacks given up in one transaction. */
const batch = 100

/** How long the last attempt may wait for its turn after the deadline. */
const turnMs = 60_000

/** A process that claims nothing for this long was asleep or had no database. */
const awayMs = 120_000

/** How often this is checked: the list of due callbacks may be long, and is read from its start. */
const everyMs = 10_000

type Overdue = Pick<Callback, 'id' | 'agentId' | 'ownerId' | 'runId' | 'attempts' | 'tries'>

/**
 * Gives up callbacks that are past their deadline and still have no turn. A receiver that never answers blocks each
 * attempt until its timeout, and few attempts run at a time, so a long backlog would stay pending for days.
 */
export function createGiveUp(context: {
  database: Database
  clock: Clock
  logger: Logger
  metrics: Pick<Metrics, 'callbacksEnded'>
  notifications: Notifications
}) {
  const { database, clock, logger, metrics, notifications } = context
  let nextAt = 0
  let claimedAt = 0

  /** Leaves out attempts in progress: they become due again only well after they must have ended. */
  async function take(trx: Transaction, now: Date): Promise<Overdue[]> {
    const bindings = { now, before: new Date(now.getTime() - turnMs), batch }
    const { rows } = await trx.raw<{ rows: Overdue[] }>(giveUpStatement, bindings)
    return rows
  }

  async function notify(trx: Transaction, overdue: Overdue, now: Date): Promise<void> {
    const latest = await CallbackAttempt.query(trx)
      .where({ callbackId: overdue.id })
      .orderBy('attempt', 'desc')
      .first()
      .select('attempt', 'outcome')
    const failure = failureOf({ ...overdue, status: 'failed' }, latest)
    if (failure !== null) await notifyFailed(trx, notifications, overdue, { failure, now })
  }

  const giveUpSome = (now: Date): Promise<number> =>
    database.transaction(async (trx) => {
      const overdue = await take(trx, now)
      // In the order of agents, like all code that notifies about several, to avoid deadlocks.
      const byAgent = [...Map.groupBy(overdue.filter(isOfRun), ({ agentId }) => agentId)].toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      )
      for (const [, [first]] of byAgent) if (first) await notify(trx, first, now)
      afterCommit(trx, () =>
        metrics.callbacksEnded.inc(
          { status: 'failed' },
          overdue.filter(({ ownerId }) => ownerId !== systemOwnerId).length,
        ),
      )
      return overdue.length
    })

  /** Batch by batch, until the signal aborts. */
  async function giveUpAll(now: Date, stopping: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (stopping?.aborted) return
      const count = await giveUpSome(now)
      if (count > 0) logger.warn({ count }, 'gave up on expired callbacks')
      if (count < batch) return
    }
  }

  return {
    /** All due callbacks that fit were claimed, so those still waiting have had their chance. */
    noteClaims(): void {
      claimedAt = clock.now().getTime()
    },

    /** Does nothing if it ran a moment ago. After a sleep, due callbacks get their turn first. */
    async giveUp(stopping?: AbortSignal): Promise<void> {
      const now = clock.now()
      const time = now.getTime()
      if (time - claimedAt > awayMs) nextAt = time + turnMs
      if (time < nextAt) return
      nextAt = time + everyMs
      await giveUpAll(now, stopping)
    },
  }
}

const giveUpStatement = `
  update callbacks set status = 'failed', next_at = null, ended_at = :now
   where id = any(array(select id from callbacks
                         where status = 'pending' and next_at <= :now and give_up_at < :before
                         order by next_at, id limit :batch for update skip locked))
  returning id, agent_id as "agentId", owner_id as "ownerId", run_id as "runId", attempts, tries`
