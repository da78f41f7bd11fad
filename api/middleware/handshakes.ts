import type { Middleware } from 'koa'
import { CodedError, isCoded, type ErrorCode } from '../../src/errors.ts'
import { handshakeIn } from '../../src/webhooks/handshakes.ts'
import { factsOf } from '../route/request-facts.ts'

/** The codes that refuse the test request of a sender, made before or instead of a delivery. */
const refusals = new Set<ErrorCode>(['VALIDATION_ERROR', 'WEBHOOK_SECRET_INVALID', 'METHOD_NOT_ALLOWED'])

/** Adds the sender's name and the owner's next step to the refusal of a handshake. The code stays the same. */
export const handshakes: Middleware = async (ctx, next) => {
  const { method } = ctx
  const isDelivery = /^\/api\/webhooks\/agent\/[^/]+\/?$/.test(ctx.path)
  const advice = isDelivery ? handshakeIn({ ...factsOf(ctx), method }) : undefined
  if (advice === undefined) {
    await next()
    return
  }
  if (method === 'OPTIONS' && ctx.headers['webhook-request-origin'] !== undefined)
    throw new CodedError('VALIDATION_ERROR', {
      message: advice,
      details: [{ path: 'WebHook-Request-Origin', message: 'This handshake is not supported.' }],
    })
  try {
    await next()
  } catch (error) {
    if (!isCoded(error) || !refusals.has(error.code) || error.message.includes(advice)) throw error
    const { code, details, challenge } = error
    throw new CodedError(code, {
      message: `${error.message} ${advice}`,
      ...(details && { details }),
      ...(challenge && { challenge }),
      cause: error,
    })
  }
}
