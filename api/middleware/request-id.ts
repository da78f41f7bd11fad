import type { Middleware } from 'koa'
import { newId } from '../../src/ids.ts'

/** Names the request in the log, the answer and the run it starts; a well-formed id of the client's is kept. */
export const requestId: Middleware = async (ctx, next) => {
  const given = ctx.get('x-request-id')
  const id = /^[\w.-]{1,64}$/.test(given) ? given : newId()
  ctx.state['requestId'] = id
  ctx.set('X-Request-Id', id)
  await next()
}
