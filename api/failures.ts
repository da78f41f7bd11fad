import { isTransient, isUnreachable } from '../src/database/database.ts'
import { CodedError } from '../src/errors.ts'
import type { Logger } from '../src/logger.ts'

/** The error that a client gets for anything that was thrown. */
export function toCoded(thrown: unknown): CodedError {
  if (thrown instanceof CodedError) return thrown
  if (thrown instanceof URIError) return new CodedError('NOT_FOUND', { cause: thrown })
  if (isTransient(thrown)) {
    const reason = isUnreachable(thrown) ? 'cannot reach its database right now' : 'could not do this'
    const message = `The platform ${reason}. Try again in a moment.`
    return new CodedError('INTERNAL_ERROR', { message, retryAfter: 5, cause: thrown })
  }
  return new CodedError('INTERNAL_ERROR', { cause: thrown })
}

/**
 * Logs a failure and returns the error for the client. Failures of the platform are logged as errors. Failures that a
 * site, a provider or a user caused are logged as warnings with the cause, unless the client sees all of it.
 */
export function noteFailure(logger: Logger, thrown: unknown, what = 'request failed'): CodedError {
  const error = toCoded(thrown)
  const isOurs = error.code === 'INTERNAL_ERROR' && !error.isOutside
  const entry = { err: forLog(thrown, isOurs), ...error.facts }
  if (isOurs) logger.error(entry, what)
  else if (error.status >= 500) logger.warn(entry, what)
  else if (error.privateDetail !== undefined) logger.warn(entry, 'request refused')
  return error
}

/**
 * A coded error's own sentence is for the client. It may quote a site, which must not appear in logs, so the
 * catalogue's sentence replaces it. Developers get the code, the private detail, the causes, and for failures of the
 * platform the stack.
 */
function forLog(thrown: unknown, isOurs: boolean): unknown {
  if (!(thrown instanceof CodedError)) return thrown
  const { code, privateDetail, cause, stack } = thrown
  const quiet = new CodedError(code, { cause, ...(privateDetail !== undefined && { privateDetail }) })
  // The logger drops the first line of the stack, which repeats the message.
  return Object.assign(quiet, { stack: isOurs ? (stack ?? '') : '' })
}
