import type { Middleware } from 'koa'

/** Headers of every response: nothing is cached, sniffed, framed, or loaded from other hosts. */
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
