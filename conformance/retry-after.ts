interface Limited {
  status: number
  headers: Headers
  json: Record<string, unknown>
}

/**
 * The platform's requested wait in seconds; undefined if there is none. SITE_UNAVAILABLE is about a site and does not
 * count.
 */
export function secondsToWait({ status, headers, json }: Limited): number | undefined {
  const asksToWait = status === 429 || (status === 503 && json['code'] !== 'SITE_UNAVAILABLE')
  const written = headers.get('retry-after')
  if (!asksToWait || written === null) return undefined
  const seconds = /^\d+$/.test(written) ? Number(written) : untilDate(written, headers.get('date'))
  return seconds > 0 ? seconds : undefined
}

/** Measured by the sender's clock if the response has a date. */
function untilDate(written: string, date: string | null): number {
  const now = Date.parse(date ?? '')
  return Math.ceil((Date.parse(written) - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}
