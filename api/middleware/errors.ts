import type { Middleware } from 'koa'
import { isTransient, isUnreachable } from '../../src/database/database.ts'
import { CodedError, errorBody } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { sendErrorPage } from '../browser/browser-answer.ts'
import { challengeOf } from './challenge.ts'

/** Answers every failure with the platform's error body. An error without a code is logged and INTERNAL_ERROR. */
export const errors =
  (logger: Logger): Middleware =>
  async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined) throw new CodedError('NOT_FOUND')
    } catch (thrown) {
      const error = toCoded(thrown)
      if (error.status >= 500)
        logger.error({ err: forLog(thrown), requestId: ctx.state['requestId'] }, 'request failed')
      ctx.state['code'] = error.code
      ctx.status = error.status
      if (error.retryAfter !== undefined) ctx.set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))))
      if (error.status === 401) ctx.set('WWW-Authenticate', challengeOf(error, ctx.get('authorization')))
      ctx.body = errorBody(error)
      if (ctx.state['browser']) sendErrorPage(ctx, error)
    }
  }

/**
 * A coded error's own sentence is for the client. It may quote a site, which must not appear in logs, so the
 * catalogue's sentence replaces it. Developers have the code, the private detail and the stack.
 */
function forLog(thrown: unknown): unknown {
  if (!(thrown instanceof CodedError)) return thrown
  const { code, privateDetail, cause, stack } = thrown
  const quiet = new CodedError(code, { cause, ...(privateDetail !== undefined && { privateDetail }) })
  // The logger drops the first line of the stack, which repeats the message.
  return Object.assign(quiet, { stack: stack ?? '' })
}

function toCoded(thrown: unknown): CodedError {
  if (thrown instanceof CodedError) return thrown
  if (thrown instanceof URIError) return new CodedError('NOT_FOUND', { cause: thrown })
  if (isTransient(thrown)) {
    const reason = isUnreachable(thrown) ? 'cannot reach its database right now' : 'could not do this right now'
    const message = `The platform ${reason}. Try again in a moment.`
    return new CodedError('INTERNAL_ERROR', { message, retryAfter: 5, cause: thrown })
  }
  return new CodedError('INTERNAL_ERROR', { cause: thrown })
}
