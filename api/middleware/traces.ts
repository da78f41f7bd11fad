import type { Context, Middleware } from 'koa'
import { names, spanNames, type Attributes } from '../../src/tracing/names.ts'
import { readTraceparent } from '../../src/tracing/traceparent.ts'
import type { Tracing } from '../../src/tracing/tracing.ts'

/** Requests that start nothing would be most of the spans. */
const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Begins a trace with each request that may start something. A client's `traceparent` is only linked: as a parent, any
 * sender could decide which traces are kept, and put spans into those of others.
 */
export const traces =
  (tracing: Tracing): Middleware =>
  (ctx, next) => {
    if (!tracing.isOn() || readingMethods.has(ctx.method)) return next()
    const link = readTraceparent(ctx.get('traceparent'))
    const span = { name: ctx.method, kind: 'server', links: link ? [link] : [] } as const
    return tracing.inSpan(span, async ({ rename, set, fail }) => {
      await next()
      const route = routeOf(ctx)
      rename(spanNames.request(ctx.method, route))
      set(aboutOf(ctx, route))
      if (ctx.status >= 500) fail(String(ctx.state['code'] ?? ctx.status))
    })
  }

/** The pattern of the route. The path itself may contain anything. */
const routeOf = (ctx: Context): string =>
  ((ctx['_matchedRoute'] as string | undefined) ?? '(none)').replaceAll(/:(\w+)/g, '{$1}')

const aboutOf = (ctx: Context, route: string): Attributes => ({
  [names.method]: ctx.method,
  [names.route]: route,
  [names.status]: ctx.status,
  [names.requestId]: ctx.state['requestId'] as string,
  [names.code]: ctx.state['code'] as string | undefined,
})
