import type { OutgoingHttpHeaders } from 'node:http'

/** A response other than 200. The message tells a model what to do. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: OutgoingHttpHeaders

  constructor(status: number, message: string, headers: OutgoingHttpHeaders = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
