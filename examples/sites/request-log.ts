import type { IncomingHttpHeaders } from 'node:http'

/** One tool call that reached the site. There is no token here, and none must come here. */
export interface LoggedRequest {
  at: string
  tool: string
  /** The HTTP status of the answer; null as long as (or because) there was none. */
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
    /** Adds a call before it is answered. Status and user are filled in on the entry that comes back. */
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
