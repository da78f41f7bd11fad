import type { OutgoingHttpHeaders } from 'node:http'

/** A response other than 200. The message tells a model what to do. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: OutgoingHttpHeaders = {},
  ) {
    super(message)
  }
}
