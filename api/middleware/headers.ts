import type { Middleware } from 'koa'
import { isSecure } from '../browser/cookies.ts'

/** For a year, browsers use only https (RFC 6797), and only for this host, because other hosts may not have it. */
const onlyHttps = { 'Strict-Transport-Security': 'max-age=31536000' }

/**
 * Headers of every response: nothing is cached, sniffed, framed, or loaded from other hosts, and browsers never use
 * http for an https installation again.
 */
export function headers(baseUrl: string): Middleware {
  const all = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    ...(isSecure(baseUrl) && onlyHttps),
  }
  return async (ctx, next) => {
    ctx.set(all)
    await next()
  }
}
