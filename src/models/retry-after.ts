/** The longest time of a provider that is honoured: a day. */
const maxSeconds = 86_400

/**
 * When a provider allows a retry, in whole seconds from now; undefined if it does not say. OpenAI and Azure say it in
 * milliseconds as well, which is more exact.
 */
export function readRetryAfter(headers: Record<string, string> | undefined, now: Date): number | undefined {
  const inMs = headers?.['retry-after-ms']
  const header = headers?.['retry-after']
  const seconds = isNumber(inMs) ? Number(inMs) / 1000 : header === undefined ? Number.NaN : secondsOf(header, now)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxSeconds)
}

/** RFC 9110, section 10.2.3: a number of seconds, or a date. */
function secondsOf(header: string, now: Date): number {
  if (isNumber(header)) return Number(header)
  // JavaScript takes `-5` and `3, 5` for dates, too.
  return isDate(header) ? (Date.parse(inGmt(header.trim())) - now.getTime()) / 1000 : Number.NaN
}

/** RFC 9110, section 5.6.7: the form that ends in a year (asctime) is in GMT, too. */
const inGmt = (date: string): string => (/\d{4}$/.test(date) ? `${date} GMT` : date)

/** RFC 9110, section 5.6.7: all forms begin with the day of the week, and have a time of day. */
const isDate = (text: string): boolean => /^\s*[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(text)

const isNumber = (text = ''): boolean => /^\s*\d+(\.\d+)?\s*$/.test(text)
