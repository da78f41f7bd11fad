import type { Middleware } from 'koa'
import { isSecure } from '../browser/cookies.ts'

/** For a year, browsers use https alone (RFC 6797); for this host only, since others may have none. */
const onlyHttps = { 'Strict-Transport-Security': 'max-age=31536000' }

/** Scripts and styles are files of this host, and forms are sent to it alone. */
const policy =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * Headers of every response: nothing is cached, sniffed, framed, or loaded from other hosts, and under an https address
 * nothing is asked by http again.
 */
export function headers(baseUrl: string): Middleware {
  const all = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': policy,
    ...(isSecure(baseUrl) && onlyHttps),
  }
  return async (ctx, next) => {
    ctx.set(all)
    await next()
  }
}
