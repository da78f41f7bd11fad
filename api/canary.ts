import type { Router } from '@koa/router'
import { canaryPath } from '../src/canary/canary.ts'
import { CodedError } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { bodyReader } from './route/body.ts'

/** The largest callback of the canary, in bytes. */
const mostBytes = 16 * 1024

/** Mounts the address to which the platform posts the callbacks of its own deliveries, unless CANARY_SECONDS is 0. */
export function mountCanary(router: Router, { canary, config, rateLimits }: Services): void {
  if (config.canary.everySeconds === 0) return
  const read = bodyReader(mostBytes)
  router.post(canaryPath, async (ctx) => {
    const body = (await read(ctx)).toString('utf8')
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const headers = Object.fromEntries(names.map((name) => [name, ctx.get(name)]))
    if (!(await canary.receive(headers, body))) {
      await rateLimits.webhookFailed(ctx.ip)
      throw new CodedError('WEBHOOK_SECRET_INVALID', { challenge: ['Webhook', 'header="Webhook-Signature"'] })
    }
    ctx.status = 204
  })
}
