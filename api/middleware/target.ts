import type { Middleware } from 'koa'
import { CodedError } from '../../src/errors.ts'

/** Refuses an invalid request target (RFC 9112, 3.2) with VALIDATION_ERROR, before anything reads its path. */
export const target: Middleware = (ctx, next) => {
  if (!isReadable(ctx)) {
    const message = 'The request target is malformed. Send only the path, such as /agents.'
    throw new CodedError('VALIDATION_ERROR', { message })
  }
  return next()
}

/** Koa parses the path on first access, and may throw then. */
function isReadable(ctx: { path: string; querystring: string }): boolean {
  try {
    return typeof ctx.path === 'string' && typeof ctx.querystring === 'string'
  } catch {
    return false
  }
}
