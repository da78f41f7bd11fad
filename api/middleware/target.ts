import type { Middleware } from 'koa'
import { CodedError } from '../../src/errors.ts'

/** Refuses a request target that cannot be read (RFC 9112, section 3.2), before anything asks for its path: VALIDATION_ERROR. */
export const target: Middleware = async (ctx, next) => {
  if (!isReadable(ctx)) {
    const message = 'The request target is malformed. Send only the path, such as /agents.'
    throw new CodedError('VALIDATION_ERROR', { message })
  }
  await next()
}

/** Koa reads the path when somebody asks for it, and throws then. */
function isReadable(ctx: { path: string; querystring: string }): boolean {
  try {
    return typeof ctx.path === 'string' && typeof ctx.querystring === 'string'
  } catch {
    return false
  }
}
