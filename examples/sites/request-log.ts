import type { IncomingHttpHeaders } from 'node:http'

/** One tool call that reached the site. It must never contain a token. */
export interface LoggedRequest {
  at: string
  tool: string
  /** The HTTP status of the response; null before it, or if there is none. */
  status: number | null
  user: string | null
  idempotencyKey: string | null
  userAgent: string | null
}

export type RequestLog = ReturnType<typeof createRequestLog>

/** Keeps the newest requests, oldest first. */
export function createRequestLog(capacity = 10_000) {
  const entries: LoggedRequest[] = []
  return {
    /** Adds a call before it is handled. The caller sets status and user on the returned entry. */
    add(tool: string, headers: IncomingHttpHeaders): LoggedRequest {
      const idempotencyKey = headers['idempotency-key']
      const entry: LoggedRequest = {
        at: new Date().toISOString(),
        tool,
        status: null,
        user: null,
        idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : null,
        userAgent: headers['user-agent'] ?? null,
      }
      entries.push(entry)
      if (entries.length > capacity) entries.shift()
      return entry
    },
    list: (): LoggedRequest[] => entries.map((entry) => ({ ...entry })),
  }
}
