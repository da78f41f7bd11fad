interface Limited {
  status: number
  headers: Headers
  json: Record<string, unknown>
}

/** How long the platform wants us to wait, in seconds; undefined if it does not. Of a site it says SITE_UNAVAILABLE. */
export function secondsToWait({ status, headers, json }: Limited): number | undefined {
  const asksToWait = status === 429 || (status === 503 && json['code'] !== 'SITE_UNAVAILABLE')
  const written = headers.get('retry-after')
  if (!asksToWait || written === null) return undefined
  const seconds = /^\d+$/.test(written) ? Number(written) : untilDate(written, headers.get('date'))
  return seconds > 0 ? seconds : undefined
}

/** By the clock of whoever wrote it, if it says so. */
function untilDate(written: string, date: string | null): number {
  const now = Date.parse(date ?? '')
  return Math.ceil((Date.parse(written) - (Number.isNaN(now) ? Date.now() : now)) / 1000)
}
