import { setTimeout as delay } from 'node:timers/promises'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { createClaim, recordMs, type Claimed } from './claim-callbacks.ts'
import { createGiveUp } from './give-up.ts'
import { createPost } from './post.ts'
import { createRecordOutcome } from './record-outcome.ts'

/** Concurrent attempts of one process, in all and to one host: a slow receiver must leave room for others. */
const maxAttempts = 20
const maxPerHost = 3

/** How often due callbacks are looked for while no attempt ends, in milliseconds. */
const lookMs = 2000

/**
 * Posts the endings of runs (docs/design.md, "Telling the owner"), at least once each: an attempt whose process dies
 * before recording it is repeated under the same id. Any number of processes may do so at once.
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
  const recordOutcome = createRecordOutcome(context)

  async function deliver(claimed: Claimed): Promise<void> {
    const { id: callbackId, runId, attempt } = claimed
    try {
      const attempted = await post(claimed)
      const { kind, httpStatus, latencyMs } = attempted
      await retryWhileUnavailable(() => recordOutcome(claimed, attempted), AbortSignal.timeout(recordMs))
      const entry = { callbackId, runId, attempt, outcome: kind, httpStatus, latencyMs }
      if (kind === 'delivered') logger.info(entry, 'callback delivered')
      else logger.warn(entry, 'callback not delivered')
    } catch (error) {
      logger.warn({ err: error, callbackId, runId, attempt }, 'the outcome of a callback attempt was not recorded')
    }
  }

  async function fill(underWay: Map<Promise<void>, string>): Promise<void> {
    while (underWay.size < maxAttempts) {
      const claimed = await claim(fullOf([...underWay.values()]))
      if (!claimed) break
      const attempt = deliver(claimed).finally(() => underWay.delete(attempt))
      underWay.set(attempt, claimed.host)
    }
    overdue.noteClaims()
  }

  /**
   * Makes the attempts that are due, and those that become due meanwhile, until there are none. Once the signal aborts,
   * it begins no more and waits for those under way. Throws what claiming and giving up throw, after these.
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
  [...Map.groupBy(hosts, (host) => host)].filter(([, same]) => same.length >= maxPerHost).map(([host]) => host)
