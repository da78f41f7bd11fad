import type { Context, Middleware } from 'koa'
import { isId } from '../../src/ids.ts'
import type { Logger } from '../../src/logger.ts'

/**
 * Logs one line per request: caller, route, result, duration. The path is the route's pattern, without the query; the
 * ids in the path are logged separately.
 */
export const accessLog =
  (logger: Logger): Middleware =>
  async (ctx, next) => {
    const start = performance.now()
    await next()
    const route: unknown = ctx['_matchedRoute'] ?? '(none)'
    logger.info(
      {
        method: ctx.method,
        route,
        ...idsIn(ctx),
        status: ctx.status,
        code: ctx.state['code'],
        ms: Math.round(performance.now() - start),
      },
      'request',
    )
  }

/** The ids in the path. Other parameters may be anything, including tokens in the wrong place. */
const idsIn = ({ params }: Context): Record<string, string> =>
  Object.fromEntries(
    Object.entries((params ?? {}) as Record<string, string>).filter(([, value]) => isId(value.toLowerCase())),
  )
