import type { Middleware } from 'koa'
import type { Logger } from '../../src/logger.ts'

/** One line per request: who, what, result, duration. The path is the route's pattern, without ids and query. */
export const accessLog =
  (logger: Logger): Middleware =>
  async (ctx, next) => {
    const start = performance.now()
    await next()
    const route: unknown = ctx['_matchedRoute'] ?? '(none)'
    logger.info(
      {
        requestId: ctx.state['requestId'],
        userId: ctx.state['userId'],
        method: ctx.method,
        route,
        status: ctx.status,
        code: ctx.state['code'],
        ms: Math.round(performance.now() - start),
      },
      'request',
    )
  }
