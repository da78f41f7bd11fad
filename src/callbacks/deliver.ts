import { setTimeout as delay } from 'node:timers/promises'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { logging, type Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { Run } from '../runs/run.ts'
import { names, spanNames } from '../tracing/names.ts'
import { inSpan } from '../tracing/span.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { NotificationWebhooks } from '../notifications/webhooks.ts'
import type { OwnFetch } from '../safe-fetch/own-fetch.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { createAttemptTurns } from './attempt-turns.ts'
import { isOfRun } from './callback.ts'
import { createClaim, type Claimed } from './claim-callbacks.ts'
import { createGiveUp } from './give-up.ts'
import { createPost, type Attempted } from './post.ts'
import { createRecordOutcome } from './record-outcome.ts'

/** How often due callbacks are polled while no attempt ends, in milliseconds. */
const lookMs = 2000

/**
 * Posts endings of runs, and notifications, at least once: if a process dies before it records an attempt, the attempt
 * repeats under the same id. Any number of processes can do this at the same time.
 */
export function createDeliver(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'callbacks' | 'sites'>
  logger: Logger
  agents: Agents
  metrics: Pick<Metrics, 'callbacksEnded'>
  notifications: Notifications
  notificationWebhooks: Pick<NotificationWebhooks, 'contentOf'>
  fetch: SafeFetch
  ownFetch: Pick<OwnFetch, 'post'>
  tracing: Tracing
}) {
  const { logger, database, tracing } = context
  const overdue = createGiveUp(context)
  const turns = createAttemptTurns(createClaim(context))
  const post = createPost(context)
  const recordOutcome = createRecordOutcome(context)

  /** Makes an attempt below the span of the run. */
  async function traced(claimed: Claimed, make: () => Promise<Attempted>): Promise<Attempted> {
    if (!tracing.isOn() || !isOfRun(claimed)) return make()
    const { id, runId, attempt } = claimed
    const run = await Run.query(database).findById(runId).select('id', 'traceparent')
    const attributes = { [names.callbackId]: id, [names.attempt]: attempt }
    return tracing.belowRun(run, () =>
      inSpan({ name: spanNames.callback, attributes }, async (span) => {
        const attempted = await make()
        span.set({ [names.outcome]: attempted.kind })
        if (attempted.kind !== 'delivered') span.fail(attempted.kind)
        return attempted
      }),
    )
  }

  async function deliver(claimed: Claimed): Promise<void> {
    const { id: callbackId, attempt } = claimed
    try {
      const attempted = await traced(claimed, () => post(claimed))
      const { kind, httpStatus, latencyMs, cause } = attempted
      await retryWhileUnavailable(() => recordOutcome(claimed, attempted))
      const entry = { callbackId, attempt, outcome: kind, httpStatus, latencyMs, cause }
      if (kind === 'delivered') logger.info(entry, 'callback delivered')
      else logger.warn(entry, 'callback not delivered')
    } catch (error) {
      logger.warn({ err: error, callbackId, attempt }, 'failed to record the outcome of a callback attempt')
    }
  }

  async function fill(underWay: Set<Promise<void>>, stopping?: AbortSignal): Promise<void> {
    // An attempt that ends meanwhile makes room for another.
    const next = async () => (stopping?.aborted ? undefined : turns.begin())
    for (let claimed = await next(); claimed; claimed = await next()) {
      const begun = claimed
      const { ownerId } = begun
      const about = isOfRun(begun) ? { agentId: begun.agentId, runId: begun.runId } : { notificationId: begun.id }
      const attempt = logging({ ownerId, ...about }, () => deliver(begun)).finally(() => {
        turns.end(begun)
        underWay.delete(attempt)
      })
      underWay.add(attempt)
    }
    overdue.noteClaims()
  }

  /**
   * Makes all due attempts, including those that become due meanwhile. Once the signal aborts, it starts no more and
   * waits for those in progress. Then throws any error of claiming or giving up.
   */
  return async function deliverDue(stopping?: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>()
    try {
      for (;;) {
        if (!stopping?.aborted) await overdue.giveUp(stopping)
        await fill(underWay, stopping)
        if (underWay.size === 0) return
        await Promise.race([...underWay, delay(lookMs, undefined, { ref: false })])
      }
    } finally {
      await Promise.all(underWay)
    }
  }
}
