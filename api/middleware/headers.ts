import type { Middleware } from 'koa'

/** Headers that every answer carries: nothing is cached, sniffed, framed, or loaded from elsewhere. */
export const headers: Middleware = async (ctx, next) => {
  ctx.set({
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
  })
  await next()
}
