import { timingSafeEqual } from 'node:crypto'
import { Router } from '@koa/router'
import Koa from 'koa'
import { bodyReader } from '../../api/route/body.ts'
import { assertUuid, required } from './settings.ts'

/** One delivery, as a peer stores it. */
export interface Delivery {
  agent: string
  /** The sender's key for this delivery, if it has sent one. */
  key: string | undefined
  bytes: Buffer
}

const secret = Buffer.from(required('SECRET'))

/** The platform's route, as short as possible: the same router and body reader, and the same proof. */
export function serve(store: (delivery: Delivery) => Promise<unknown>): void {
  const read = bodyReader(1024 * 1024)
  const router = new Router({ sensitive: true })
  router.post('/agents/:agent/deliveries', async (ctx) => {
    if (!isSecret(ctx.get('x-webhook-secret'))) return ctx.throw(401)
    const agent = assertUuid(ctx.params['agent'])
    const key = ctx.get('idempotency-key') || undefined
    const id = await store({ agent, key, bytes: await read(ctx) })
    ctx.status = 202
    ctx.body = { id }
  })
  new Koa().use(router.routes()).listen(Number(required('PORT')), '127.0.0.1', () => console.log('{"msg":"ready"}'))
}

const isSecret = (given: string): boolean =>
  given.length === secret.length && timingSafeEqual(Buffer.from(given), secret)
