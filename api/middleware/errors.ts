import type { Middleware } from 'koa'
import { CodedError, errorBody } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { noteFailure } from '../failures.ts'
import { sendErrorPage } from '../browser/browser-answer.ts'
import { challengeOf } from './challenge.ts'

/** Answers every failure with the platform's error body. An error without a code is INTERNAL_ERROR. */
export const errors =
  (logger: Logger): Middleware =>
  async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body === undefined) throw new CodedError('NOT_FOUND')
    } catch (thrown) {
      const error = noteFailure(logger, thrown)
      ctx.state['code'] = error.code
      ctx.status = error.status
      if (error.retryAfter !== undefined) ctx.set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))))
      if (error.status === 401) ctx.set('WWW-Authenticate', challengeOf(error, ctx.get('authorization')))
      ctx.body = errorBody(error)
      if (ctx.state['browser']) sendErrorPage(ctx, error)
    }
  }
