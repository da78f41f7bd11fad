import type { Middleware } from 'koa'
import { newId } from '../../src/ids.ts'

/** Gives the request an id for the log, the response and the run it starts. Keeps a well-formed id from the client. */
export const requestId: Middleware = async (ctx, next) => {
  const given = ctx.get('x-request-id')
  const id = /^[\w.-]{1,64}$/.test(given) ? given : newId()
  ctx.state['requestId'] = id
  ctx.set('X-Request-Id', id)
  await next()
}
