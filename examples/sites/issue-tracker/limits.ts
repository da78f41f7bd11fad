import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { SiteError } from './site-error.ts'

export interface LimitOptions {
  /** Tool calls a minute with one token, 60 unless given. */
  perToken?: number | undefined
  /** Tool calls a minute from one address, 200 unless given. */
  perAddress?: number | undefined
}

export type Limits = ReturnType<typeof createLimits>

/**
 * The two limits that are recommended to sites (docs/specification.md, "Limits"). Both fail with 429 and Retry-After.
 */
export function createLimits({ perToken = 60, perAddress = 200 }: LimitOptions = {}) {
  return { countToken: limiter(perToken, 'with this token'), countAddress: limiter(perAddress, 'from your address') }
}

function limiter(points: number, whose: string) {
  const counter = new RateLimiterMemory({ points, duration: 60 })
  return async (key: string): Promise<void> => {
    try {
      await counter.consume(key)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw new SiteError(429, `Too many requests ${whose}: ${points} a minute are allowed. Wait ${seconds} seconds.`, {
        'Retry-After': String(seconds),
      })
    }
  }
}
