/** One kind of request. `headers` may contain `{n}`, which differs in every request. */
export interface Target {
  path: string
  headers: Record<string, string>
  body: string
}

export interface Load {
  /** Accepted requests per second. */
  rate: number
  accepted: number
  /** In milliseconds. */
  p99: number
}

/** Sends requests to a server over some connections for some seconds, each connection one at a time. */
export type Send = (url: string, targets: Target[], connections: number, seconds: number) => Promise<Load>
