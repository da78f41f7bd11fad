import { readHttpDate } from './http-date.ts'

/** The longest time that is believed, in seconds: a day. Its users have shorter limits of their own. */
const maxSeconds = 86_400

/** Longer texts are no value of this header. */
const maxLength = 200

/**
 * What the text of a `Retry-After` says (RFC 9110, 10.2.3: seconds or a date), in whole seconds from `now`, rounded up:
 * from 0, for a time that is over, to a day. Undefined if there is no header, or if it can mean no one time: then it is
 * as if it were absent. A value that was sent several times counts once.
 */
export function readRetryAfter(text: string | null | undefined, now: Date): number | undefined {
  const value = text && text.length <= maxLength ? single(text) : undefined
  if (value === undefined) return undefined
  const seconds = isNumber(value) ? Number(value) : secondsUntil(readHttpDate(value, now), now)
  return seconds === undefined ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxSeconds)
}

/** The `Retry-After` of a response, in whole seconds from 1 to a day, or nothing if it has none that can be read. */
export function retryAfter(headers: Headers): { retryAfter?: number } {
  const seconds = readRetryAfter(headers.get('retry-after'), new Date())
  return seconds === undefined ? {} : { retryAfter: Math.max(seconds, 1) }
}

const secondsUntil = (at: number | undefined, now: Date): number | undefined =>
  at === undefined ? undefined : (at - now.getTime()) / 1000

/** Repeated headers arrive as a list. Dates have commas of their own. */
function single(text: string): string | undefined {
  const numbers = text.split(',').map((part) => part.trim())
  if (numbers.every(isNumber)) return new Set(numbers.map(Number)).size === 1 ? numbers[0] : undefined
  return /^(.+?)(?:\s*,\s*\1)*$/.exec(text.trim())?.[1]
}

const isNumber = (text: string): boolean => /^\d+(?:\.\d+)?$/.test(text)
