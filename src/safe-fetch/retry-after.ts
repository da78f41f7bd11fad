import { readHttpDate } from './http-date.ts'

/** The longest accepted time, in seconds: a day. Callers have shorter limits. */
const maxSeconds = 86_400

/** Longer texts are not valid values. */
const maxLength = 200

/**
 * Reads a `Retry-After` (RFC 9110, 10.2.3: seconds or a date) as whole seconds from `now`, rounded up, from 0 (past) to
 * a day. Undefined if the header is missing or ambiguous. A repeated identical value counts once.
 */
export function readRetryAfter(text: string | null | undefined, now: Date): number | undefined {
  const value = text && text.length <= maxLength ? single(text) : undefined
  if (value === undefined) return undefined
  const seconds = isNumber(value) ? Number(value) : secondsUntil(readHttpDate(value, now), now)
  return seconds === undefined ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxSeconds)
}

/** The `Retry-After` of a response, in whole seconds from 1 to a day; empty if it is missing or unreadable. */
export function retryAfter(headers: Headers): { retryAfter?: number } {
  const seconds = readRetryAfter(headers.get('retry-after'), new Date())
  return seconds === undefined ? {} : { retryAfter: Math.max(seconds, 1) }
}

const secondsUntil = (at: number | undefined, now: Date): number | undefined =>
  at === undefined ? undefined : (at - now.getTime()) / 1000

/** Repeated headers arrive as a list. Dates contain commas too. */
function single(text: string): string | undefined {
  const numbers = text.split(',').map((part) => part.trim())
  if (numbers.every(isNumber)) return new Set(numbers.map(Number)).size === 1 ? numbers[0] : undefined
  return /^(.+?)(?:\s*,\s*\1)*$/.exec(text.trim())?.[1]
}

const isNumber = (text: string): boolean => /^\d+(?:\.\d+)?$/.test(text)
