import { setTimeout as delay } from 'node:timers/promises'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { createClaim, settleMs, type Claimed } from './claim-callbacks.ts'
import { createGiveUp } from './give-up.ts'
import { createPost } from './post.ts'
import { createSettle } from './record-outcome.ts'

/** Of one process: attempts at the same time, and those to one host, so that a slow receiver leaves room for others. */
const most = 20
const mostPerHost = 3

/** How long what has become due meanwhile waits while nothing comes to an end. */
const lookMs = 2000

/**
 * Posts the endings of runs (docs/design.md, "Telling the owner"), at least once each: an attempt whose process dies
 * before it is recorded is made again under the same id. Any number of processes may do so at once.
 */
export function createDeliver(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'callbacks'>
  logger: Logger
  agents: Agents
  notifications: Notifications
  fetch: SafeFetch
}) {
  const { logger } = context
  const overdue = createGiveUp(context)
  const claim = createClaim(context)
  const post = createPost(context)
  const settle = createSettle(context)

  async function deliver(claimed: Claimed): Promise<void> {
    const { id: callbackId, runId, attempt } = claimed
    try {
      const attempted = await post(claimed)
      const { kind, httpStatus, latencyMs } = attempted
      await retryWhileUnavailable(() => settle(claimed, attempted), AbortSignal.timeout(settleMs))
      const entry = { callbackId, runId, attempt, outcome: kind, httpStatus, latencyMs }
      if (kind === 'delivered') logger.info(entry, 'callback delivered')
      else logger.warn(entry, 'callback not delivered')
    } catch (error) {
      logger.warn({ err: error, callbackId, runId, attempt }, 'an attempt at a callback came to no recorded end')
    }
  }

  async function fill(underWay: Map<Promise<void>, string>): Promise<void> {
    while (underWay.size < most) {
      const claimed = await claim(fullOf([...underWay.values()]))
      if (!claimed) break
      const attempt = deliver(claimed).finally(() => underWay.delete(attempt))
      underWay.set(attempt, claimed.host)
    }
    overdue.noteClaims()
  }

  /**
   * Makes the attempts that are due, and those that become due meanwhile, until there are none. Once the signal aborts
   * it begins no more, and ends when those under way have ended. Throws what claiming and giving up throw, after these.
   */
  return async function deliverDue(stopping?: AbortSignal): Promise<void> {
    const underWay = new Map<Promise<void>, string>()
    try {
      for (;;) {
        if (!stopping?.aborted) await overdue.giveUp(stopping)
        if (!stopping?.aborted) await fill(underWay)
        if (underWay.size === 0) return
        await Promise.race([...underWay.keys(), delay(lookMs, undefined, { ref: false })])
      }
    } finally {
      await Promise.all(underWay.keys())
    }
  }
}

/** The hosts that take no further attempt now. */
const fullOf = (hosts: string[]): string[] =>
  [...Map.groupBy(hosts, (host) => host)].filter(([, same]) => same.length >= mostPerHost).map(([host]) => host)
