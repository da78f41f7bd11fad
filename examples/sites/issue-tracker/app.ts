import { Router } from '@koa/router'
import Koa, { type Context, type Next } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import type { RequestLog } from '../request-log.ts'
import { createManifest, toolBase } from './manifest.ts'
import { createSettings } from './settings.ts'
import { SiteError } from './site-error.ts'
import { createToolCall, type ToolCallParts } from './tool-call.ts'

export interface AppParts extends ToolCallParts {
  origin: string
  log: RequestLog
}

/** All routes, on one screen. */
export function createApp({ origin, log, ...parts }: AppParts): Koa {
  const settings = createSettings(parts.tokens)
  const toolCall = createToolCall(parts)
  const manifest = createManifest(origin, parts.tools)
  const readBody = createBodyReader()
  const router = new Router()
    .get('/.well-known/toolsite.json', (ctx) => void (ctx.body = manifest))
    .get('/log', (ctx) => void (ctx.body = { requests: log.list() }))
    .get('/settings', settings.showPage)
    .get('/settings/tokens', settings.listTokens)
    .post('/settings/tokens', readBody, settings.createToken)
    .delete('/settings/tokens', readBody, settings.revokeToken)
    .post(`${toolBase}/tools/:tool`, recordCall(log), answerErrors, toolCall.admit, readBody, toolCall.run)

  const app = new Koa()
  app.use(answerErrors)
  app.use(router.routes())
  app.use(() => {
    throw new SiteError(404, 'There is nothing here.')
  })
  return app
}

/** Logs each tool call before handling it, so that the log includes calls that never got a response. */
function recordCall(log: RequestLog) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const entry = log.add(String(ctx.params['tool']), ctx.headers)
    ctx.state['entry'] = entry
    await next()
    entry.status = ctx.status
  }
}

/** Answers every failure with `{ error }`. Unexpected errors are logged but not shown to the caller. */
async function answerErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (error) {
    const known = error instanceof SiteError ? error : new SiteError(500, 'Something went wrong on our side.')
    if (known !== error) console.error(error)
    ctx.status = known.status
    ctx.set(known.headers)
    ctx.body = { error: known.message }
  }
}

/** JSON only, for every method: a form on another site cannot send JSON without a CORS preflight. */
const createBodyReader = () =>
  koaBody({
    urlencoded: false,
    text: false,
    jsonLimit: '256kb',
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.DELETE],
    onError(error) {
      const tooLarge = (error as { status?: unknown }).status === 413
      throw tooLarge ? new SiteError(413, 'The body is too large.') : new SiteError(400, 'The body is not valid JSON.')
    },
  })
