import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Config } from './config/config.ts'
import type { Database } from './database/database.ts'
import { CodedError } from './errors.ts'
import { secondsInWords } from './in-words.ts'

/**
 * The platform's own limits, each counted in windows of a minute: shared through Postgres, or in memory if a single
 * process serves (RATE_LIMIT_STORE). Every function counts one request. If it is one too many, it fails with
 * RATE_LIMITED and the seconds until the window ends.
 */
export function createRateLimits(context: { database: Database; config: Pick<Config, 'rateLimits'> }) {
  const { database } = context
  const config = context.config.rateLimits
  const limiter = (keyPrefix: string, points: number): RateLimiterAbstract => {
    const options = { keyPrefix, points, duration: 60 }
    if (config.store === 'memory') return new RateLimiterMemory(options)
    return new RateLimiterPostgres({
      ...options,
      storeClient: database,
      storeType: 'knex',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      // A caller over the limit costs no more queries until the window ends.
      inMemoryBlockOnConsumed: points + 1,
    })
  }
  const count = (prefix: string, points: number) => {
    const counter = limiter(prefix, points)
    return (key: string) => consume(counter, key, points)
  }
  return {
    caller: count('caller', config.callerPerMinute),
    auth: byAddress(count('auth', config.authPerMinute)),
    browser: byAddress(count('browser', config.browserPerMinute)),
    webhook: count('webhook', config.webhookPerMinute),
    webhookFailed: byAddress(count('webhook-failed', config.webhookFailedPerMinute)),

    /** Deletes windows that have ended. */
    async purge(now: Date): Promise<void> {
      if (config.store !== 'postgres') return
      await database.raw('delete from rate_limits where expire < :now', { now: now.getTime() })
    },
  }
}

export type RateLimits = ReturnType<typeof createRateLimits>

type Count = (key: string) => Promise<void>

const byAddress =
  (count: Count): Count =>
  (address) =>
    count(networkOf(address))

/**
 * Whose address it is. A subscriber has a /64 of IPv6 at least (RFC 6177), so all of its addresses count as one. An IPv4
 * address counts by itself, also where it comes in the form of IPv6.
 */
function networkOf(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
}

async function consume(limiter: RateLimiterAbstract, key: string, points: number): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
    const message = `Too many requests: ${points} a minute are allowed here. Try again in ${secondsInWords(retryAfter)}.`
    throw new CodedError('RATE_LIMITED', { message, retryAfter })
  }
}
