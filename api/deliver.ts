import type { Middleware } from 'koa'
import type { Services } from '../src/services.ts'
import { noteInLog } from '../src/logger.ts'
import { bodyReader, requireJson } from './route/body.ts'
import { canonicalId } from './route/canonical-ids.ts'
import { headerOf } from './route/request-facts.ts'
import { presentReceipt } from './present-receipt.ts'

/**
 * Receives deliveries. Not mounted like other routes, because a delivery should cost little more than its row: the
 * general path finds callers, resources, permissions, streams and audit entries, and a delivery has none of them.
 */
export function deliver(services: Services): Middleware {
  const read = bodyReader(services.config.bodies.webhookBytes)
  return async (ctx) => {
    let bytes: Promise<Buffer> | undefined
    const agentId = canonicalId((ctx['params'] as { agentId: string }).agentId)
    const outcome = await services.webhooks.deliver({
      agentId,
      header: headerOf(ctx),
      address: ctx.ip,
      requestId: ctx.state['requestId'] as string,
      assertJson: () => requireJson(ctx),
      readBody: () => (bytes ??= read(ctx)),
    })
    const isTest = !('runId' in outcome)
    if (!isTest) noteInLog({ agentId, runId: outcome.runId })
    ctx.status = isTest ? 200 : 202
    ctx.type = 'json'
    ctx.body = JSON.stringify(isTest ? outcome : await presentReceipt(services, agentId, outcome))
  }
}
