import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Config } from './config/config.ts'
import type { Database } from './database/database.ts'
import { asClient } from './database/statement.ts'
import { CodedError, isCoded } from './errors.ts'
import { bytesInWords, secondsInWords } from './amounts-in-words.ts'

/** An admin may allow an account any number, but the counters need a finite one. */
const finite = (points: number): number => Math.min(points, 1e15)

/**
 * The platform's own limits, counted in windows of a minute: through Postgres, or in memory if a single process serves
 * (RATE_LIMIT_STORE). Beyond a limit, they fail with RATE_LIMITED and the seconds until the window ends. A tier's limit
 * applies to all keys or agents of an owner together.
 */
export function createRateLimits(context: { database: Database; config: Pick<Config, 'rateLimits'> }) {
  const { database } = context
  const config = context.config.rateLimits
  const limiter = (
    keyPrefix: string,
    points: number,
    store = config.store,
    duration = 60,
    blocks = true,
  ): RateLimiterAbstract => {
    const options = { keyPrefix, points, duration }
    if (store === 'memory') return new RateLimiterMemory(options)
    return new RateLimiterPostgres({
      ...options,
      storeClient: asClient(database),
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      // A caller over the limit costs no more queries until the window ends.
      ...(blocks && { inMemoryBlockOnConsumed: points + 1 }),
    })
  }
  const count = (prefix: string, points: number, store = config.store) => {
    const counter = limiter(prefix, points, store)
    return (key: string) =>
      consume(counter, key, { what: () => `The limit of ${points} requests a minute has been exceeded` })
  }
  const countHourly = (prefix: string, points: number) => {
    const counter = limiter(prefix, points, config.store, 3600)
    return (key: string) =>
      consume(counter, key, { what: () => `The limit of ${points} requests an hour has been exceeded` })
  }
  const minuteOfChanges = limiter('changes', config.changesPerMinute)
  const dayOfChanges = limiter('changes-of-day', config.changesPerDay, config.store, 86_400)
  const ofEmail = countHourly('recovery-of', mailsAnHour)
  const failures = limiter('tries', config.triesPerHour, config.store, 3600, false)
  const counters = new Map<string, Map<number, RateLimiterAbstract>>()
  const counter = (prefix: string, points: number, store = config.store, duration = 60): RateLimiterAbstract => {
    const ofPrefix = counters.get(prefix) ?? new Map<number, RateLimiterAbstract>()
    counters.set(prefix, ofPrefix)
    const known = ofPrefix.get(points) ?? limiter(prefix, points, store, duration)
    ofPrefix.set(points, known)
    return known
  }
  return {
    caller: count('caller', config.callerPerMinute),

    account(ownerId: string, { tier, limits }: Allowance): Promise<void> {
      const points = finite(Math.max(limits.requestsPerMinute, config.callerPerMinute))
      const what = () =>
        `This account's keys have exceeded their shared limit of ${points} requests a minute${withTier(tier)}`
      return consume(counter('account', points), ownerId, { what })
    },

    /**
     * One delivery to an owner's agent. Each API process counts deliveries, and their bytes, separately: another write
     * per delivery would cost more than it protects.
     */
    delivery(ownerId: string, { tier, limits }: Allowance): Promise<void> {
      const points = finite(Math.max(limits.deliveriesPerMinute, config.webhookPerMinute))
      const what = () =>
        `This account's agents have exceeded their shared limit of ${points} deliveries a minute${withTier(tier)}`
      return consume(counter('deliveries', points, 'memory'), ownerId, { what })
    },

    /** Bytes of payloads and inputs of an owner's runs. */
    inputBytes(ownerId: string, { tier, limits }: Allowance, bytes: number): Promise<void> {
      const most = finite(limits.inputBytesPerMinute)
      // A minute's bytes in one burst would delay everybody else for seconds. One large text always fits.
      const atOnce = Math.max(most / burstsPerMinute, largestText)
      const what = () =>
        `This account's runs have exceeded their input limit of ${bytesInWords(most)} a minute${withTier(tier)}, or of ${bytesInWords(atOnce)} at once`
      const count = Math.min(bytes, atOnce)
      return consume(counter('input-bytes', atOnce, 'memory', (60 * atOnce) / most), ownerId, { what, count })
    },

    /** One audited change of a user: per minute and per day. */
    async change(userId: string): Promise<void> {
      const { changesPerMinute, changesPerDay } = config
      const what = (count: number, time: string) => () =>
        `This account has exceeded its limit of ${count} changes ${time}`
      await consume(minuteOfChanges, userId, { what: what(changesPerMinute, 'a minute') })
      await consume(dayOfChanges, userId, { what: what(changesPerDay, 'a day') })
    },

    /** One look of a user at a site that is not connected. It is no change, and costs the site several requests. */
    inspection: count('inspections', inspectionsAMinute),

    /** One mail of a kind that a user requests. The key names both. */
    accountMail: countHourly('account-mail', mailsAnHour),

    /** One MCP client that registers itself, by the client's address. */
    registration: byAddress(countHourly('registration', registrationsAnHour)),

    /** One password reset request, by the client's address. */
    recovery: byAddress(countHourly('recovery', config.recoveryPerHour)),

    /** The same by mail address. Returns false instead of RATE_LIMITED beyond the limit. */
    recoveryOf: (email: string): Promise<boolean> => isAllowed(ofEmail(email)),

    /**
     * Wrong passwords and codes of an account. Each try is counted before it is made, so concurrent tries cannot exceed
     * the limit, and returned if nothing was wrong. RATE_LIMITED.
     */
    tries: {
      take: (key: string): Promise<void> =>
        consume(failures, key, {
          what: () =>
            `Too many wrong passwords or codes. From a new location, an account gets ${config.triesPerHour} attempts an hour. To sign in sooner, reset your password with POST /auth/forgot-password`,
        }),
      giveBack: async (key: string): Promise<void> => void (await failures.reward(key)),
      forget: async (key: string): Promise<void> => void (await failures.delete(key)),
    },

    auth: byAddress(count('auth', config.authPerMinute)),
    browser: byAddress(count('browser', config.browserPerMinute)),
    /** One delivery to an agent, counted by each process, as `delivery` is. */
    webhook: count('webhook', config.webhookPerMinute, 'memory'),
    webhookFailed: byAddress(count('webhook-failed', config.webhookFailedPerMinute)),

    /** By this process's clock, as the package counts. */
    async purge(now = new Date()): Promise<void> {
      if (config.store !== 'postgres') return
      await database.raw('delete from rate_limits where expire < :now', { now: now.getTime() })
    },
  }
}

export type RateLimits = ReturnType<typeof createRateLimits>

type Count = (key: string) => Promise<void>

/** The number of bursts that a minute's bytes may be split into. */
const burstsPerMinute = 10

const mailsAnHour = 5
/** MCP clients that may register themselves from one address in an hour. */
export const registrationsAnHour = 20
/** Sites that a user may inspect in a minute. */
export const inspectionsAMinute = 60

const largestText = 1.25 * 1024 ** 2

/** An owner's limits per minute, by a tier or, without one, by the operator's settings. */
interface Allowance {
  tier: string | null
  limits: { requestsPerMinute: number; deliveriesPerMinute: number; inputBytesPerMinute: number }
}

const withTier = (tier: string | null): string => (tier === null ? '' : ` (${tier} tier)`)

interface Counted {
  /** The refusal's first sentence. Made only if it is needed. */
  what: () => string
  count?: number
}

const byAddress =
  (count: Count): Count =>
  (address) =>
    count(networkOf(address))

/**
 * The network of an address. A subscriber has at least a /64 of IPv6 (RFC 6177), so all its addresses count as one. An
 * IPv4 address counts separately, even in the form of IPv6.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
}

async function isAllowed(counting: Promise<void>): Promise<boolean> {
  try {
    await counting
    return true
  } catch (error) {
    if (isCoded(error, 'RATE_LIMITED')) return false
    throw error
  }
}

async function consume(limiter: RateLimiterAbstract, key: string, { what, count = 1 }: Counted): Promise<void> {
  try {
    await limiter.consume(key, count)
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused
    const retryAfter = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
    throw new CodedError('RATE_LIMITED', {
      message: `${what()}. Try again in ${secondsInWords(retryAfter)}.`,
      retryAfter,
    })
  }
}
