import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { SiteError } from './site-error.ts'

export interface LimitOptions {
  /** Tool calls per minute with one token; 60 by default. */
  perToken?: number | undefined
  /** Tool calls per minute from one address; 200 by default. */
  perAddress?: number | undefined
}

export type Limits = ReturnType<typeof createLimits>

/** The two recommended limits (docs/specification.md, "Limits"). Both throw 429 with Retry-After. */
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
