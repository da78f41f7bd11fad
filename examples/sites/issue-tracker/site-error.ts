/** A request that fails with an error status and `{ error }`. The caller gets the message. */
export class SiteError extends Error {
  override readonly name = 'SiteError'
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
