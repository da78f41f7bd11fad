import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import { logging } from '../../src/logger.ts'

/**
 * Gives the request an id for the response, the run it starts, and its log lines. Keeps a well-formed id from the
 * client.
 */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.get('x-request-id')
  const id = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  ctx.state['requestId'] = id
  ctx.set('X-Request-Id', id)
  return logging({ requestId: id }, next)
}
