import { readRetryAfter } from '../safe-fetch/retry-after.ts'

/**
 * When a provider allows a retry, in whole seconds from now, at most a day; undefined if it does not say. OpenAI and
 * Azure also state milliseconds, which are more exact.
 */
export function providerPause(headers: Record<string, string> | undefined, now: Date): number | undefined {
  const inMs = headers?.['retry-after-ms']
  const inSeconds =
    inMs !== undefined && isNumber.test(inMs) ? String(Math.ceil(Number(inMs)) / 1000) : headers?.['retry-after']
  return readRetryAfter(inSeconds, now)
}

/** Short enough to be written without an exponent as seconds. */
const isNumber = /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/
