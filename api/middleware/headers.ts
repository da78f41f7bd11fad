import type { Middleware } from 'koa'
import { isSecure } from '../browser/cookies.ts'

/** Browsers use only https for a year (RFC 6797), for this host alone, because other hosts may not have it. */
const onlyHttps = { 'Strict-Transport-Security': 'max-age=31536000' }

/** Scripts and styles are files of this host, and forms are submitted only to it. */
const policy =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * Sets the headers of every response: no caching, sniffing, framing or loading from other hosts, and no return to http
 * after https.
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
  return (ctx, next) => {
    ctx.set(all)
    return next()
  }
}
