import type { Middleware } from 'koa'
import { csrfHeader } from '../route/authenticate.ts'
import type { FindPath } from '../route/known-path.ts'
import { isOfAccount } from '../route/route-rules.ts'
import type { AnyRoute } from '../route/route.ts'

/**
 * The response headers that scripts may read, besides the ones that browsers always allow (Fetch, "CORS-safelisted").
 */
const exposed = ['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Allow', 'X-Resumable-Stream-Id'].join(', ')

const preflightSeconds = 600

/**
 * Lets scripts of the given origins call the API and read its responses (Fetch, "CORS protocol"); `*` is any origin.
 * Never with credentials, because nothing here may depend on a cookie. Excludes webhooks and the pages of OAuth.
 * Allows every header that a preflight names, because clients and tracing tools add their own, and without a cookie
 * they have no effect. Not @koa/cors, which answers preflights the same way for every path.
 */
export function crossOrigin(origins: readonly string[], find: FindPath, routes: readonly AnyRoute[]): Middleware {
  const isAny = origins.includes('*')
  const requestHeaders = headersOf(routes)
  return async (ctx, next) => {
    const known = find(ctx.path)
    if (known && !known.isShared) return next()
    if (!isAny) ctx.vary('Origin')
    const origin = ctx.get('origin')
    if (!isAny && !origins.includes(origin)) return next()
    ctx.set('Access-Control-Allow-Origin', isAny ? '*' : origin)
    if (!known || !isPreflight(ctx)) {
      ctx.set('Access-Control-Expose-Headers', exposed)
      return next()
    }
    ctx.set({
      'Access-Control-Allow-Methods': known.methods.join(', '),
      'Access-Control-Allow-Headers': [requestHeaders, ...added(ctx.get('access-control-request-headers'))].join(', '),
      'Access-Control-Max-Age': String(preflightSeconds),
    })
    return void (ctx.status = 204)
  }
}

/** Cookie requests use it, and pages of other origins cannot send them. */
const ofCookies = csrfHeader.toLowerCase()

/** The names of the headers that the client requests, up to a limit. */
const added = (names: string): string[] =>
  names
    .split(',', 50)
    .map((name) => name.trim())
    .filter((name) => name.toLowerCase() !== ofCookies)
    .filter((name) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name))

const isPreflight = ({ method, headers }: { method: string; headers: NodeJS.Dict<string | string[]> }): boolean =>
  method === 'OPTIONS' && headers['origin'] !== undefined && headers['access-control-request-method'] !== undefined

/** The request headers that the routes read. `Authorization` must be named even if any header is allowed. */
function headersOf(routes: readonly AnyRoute[]): string {
  const callable = routes.filter((route) => !route.proof || isOfAccount(route))
  const declared = callable.flatMap(({ headers = {}, proof }) => [
    ...Object.keys(headers),
    proof?.account?.header ?? [],
  ])
  return [...new Set(['Authorization', 'Content-Type', 'X-Request-Id', ...declared.flat()])].join(', ')
}
