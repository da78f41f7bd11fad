import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { CallbackAttempt } from './callback-attempt.ts'
import type { Callback } from './callback.ts'
import { failureOf } from './failure.ts'
import { notifyFailed } from './notify-failed.ts'

/** Callbacks that are given up in one transaction. */
const batch = 100

/** How long the last attempt, which is due when the time is up, may wait for its turn. */
const turnMs = 60_000

/** A process that claimed nothing for this long was away: it slept, or Postgres did not answer. */
const awayMs = 120_000

/** How often this is checked: the list of due callbacks may be long, and is read from its start. */
const everyMs = 10_000

type Overdue = Pick<Callback, 'id' | 'agentId' | 'ownerId' | 'runId' | 'attempts' | 'tries'>

/**
 * Gives up the callbacks whose time is up and whose turn does not come. A receiver that never answers blocks each
 * attempt until its timeout, and only few run at a time: most of a long backlog would stay pending for days.
 */
export function createGiveUp(context: {
  database: Database
  clock: Clock
  logger: Logger
  notifications: Notifications
}) {
  const { database, clock, logger, notifications } = context
  let nextAt = 0
  let claimedAt = 0

  /** Leaves out those in progress: they become due again only well after their attempt must have ended. */
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
      // Ordered by agent, like all who notify of several: otherwise two of them could deadlock.
      const byAgent = [...Map.groupBy(overdue, ({ agentId }) => agentId)].toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      )
      for (const [, [first]] of byAgent) if (first) await notify(trx, first, now)
      return overdue.length
    })

  /** Batch by batch, unless the signal aborts. */
  async function giveUpAll(now: Date, stopping: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (stopping?.aborted) return
      const count = await giveUpSome(now)
      if (count > 0) logger.warn({ count }, 'callbacks whose time was up were given up')
      if (count < batch) return
    }
  }

  return {
    /** As many due callbacks were claimed as there was room for: those still in line had their chance. */
    noteClaims(): void {
      claimedAt = clock.now().getTime()
    },

    /** Does nothing if it checked a moment ago. After an absence, due callbacks get their turn first. */
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
