/**
 * The `Retry-After` of a response, given in seconds or as a date (RFC 9110, 10.2.3): whole seconds from 1 to a day, or
 * nothing if it is missing or invalid.
 */
export function retryAfter(headers: Headers): { retryAfter?: number } {
  const header = headers.get('retry-after')
  if (!header) return {}
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? { retryAfter: Math.min(Math.max(Math.ceil(seconds), 1), 86_400) } : {}
}
