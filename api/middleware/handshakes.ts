import type { Middleware } from 'koa'
import { CodedError, isCoded, type ErrorCode } from '../../src/errors.ts'
import { handshakeIn } from '../../src/webhooks/handshakes.ts'
import { factsOf } from '../route/request-facts.ts'

/** The codes that refuse the test request of a sender, made before or instead of a delivery. */
const refusals = new Set<ErrorCode>(['VALIDATION_ERROR', 'WEBHOOK_SECRET_INVALID', 'METHOD_NOT_ALLOWED'])

/** Adds the sender's name and the owner's next step to the refusal of a handshake. The code stays the same. */
export const handshakes: Middleware = async (ctx, next) => {
  const isDelivery = /^\/api\/webhooks\/agent\/[^/]+\/?$/.test(ctx.path)
  const advice = (): string | undefined => handshakeIn({ ...factsOf(ctx), method: ctx.method })
  if (isDelivery && ctx.method === 'OPTIONS' && ctx.headers['webhook-request-origin'] !== undefined)
    throw new CodedError('VALIDATION_ERROR', {
      message: advice() ?? '',
      details: [{ path: 'WebHook-Request-Origin', message: 'This handshake is not supported.' }],
    })
  try {
    await next()
  } catch (error) {
    throw isDelivery && isCoded(error) && refusals.has(error.code) ? withAdvice(error, advice()) : error
  }
}

function withAdvice(error: CodedError, advice: string | undefined): CodedError {
  if (advice === undefined || error.message.includes(advice)) return error
  const { code, message, details, challenge } = error
  return new CodedError(code, {
    message: `${message} ${advice}`,
    ...(details && { details }),
    ...(challenge && { challenge }),
    cause: error,
  })
}
