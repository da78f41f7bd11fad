export class StripeProblem extends Error {
  readonly status: number
  readonly error: Record<string, unknown>
  constructor(status: number, error: Record<string, unknown>) {
    super(String(error['message']))
    this.status = status
    this.error = error
  }
}

export const invalid = (message: string, more: Record<string, unknown> = {}, status = 400): StripeProblem =>
  new StripeProblem(status, { type: 'invalid_request_error', message, ...more })

export const missing = (what: string, id: string, param = 'id'): StripeProblem =>
  invalid(`No such ${what}: '${id}'`, { code: 'resource_missing', param }, 404)

/** Returns the object. Fails if it does not exist. */
export function existing<T>(found: T | undefined, what: string, id: string): T {
  if (found === undefined) throw missing(what, id)
  return found
}
