import { Router } from '@koa/router'
import Koa, { type Context, type Next } from 'koa'
import { koaBody } from 'koa-body'
import { SiteError } from '../issue-tracker/site-error.ts'
import type { RequestLog } from '../request-log.ts'
import { createManifest, toolBase } from './manifest.ts'
import { answerWithPages, createSignIn, signInPath } from './sign-in.ts'
import { createToolCall, type ToolCallParts } from './tool-call.ts'

export interface AppParts extends ToolCallParts {
  origin: string
  log: RequestLog
}

/** All routes except OAuth, on one screen. */
export function createApp({ origin, log, ...parts }: AppParts): Koa {
  const manifest = createManifest(origin, parts.tools)
  const signIn = createSignIn(parts.provider)
  const toolCall = createToolCall(parts)
  const router = new Router()
    .get('/.well-known/toolsite.json', (ctx) => void (ctx.body = manifest))
    .get('/log', (ctx) => void (ctx.body = { requests: log.list() }))
    .get(`${signInPath}/:uid`, answerWithPages, signIn.show)
    .post(`${signInPath}/:uid`, answerWithPages, readForm, signIn.submit)
    .post(`${toolBase}/tools/:tool`, recordCall(log), answerErrors, toolCall.admit, readJson, toolCall.run)

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

function onUnreadable(error: Error): never {
  const tooLarge = (error as { status?: unknown }).status === 413
  throw tooLarge ? new SiteError(413, 'The body is too large.') : new SiteError(400, 'The body cannot be read.')
}

const readJson = koaBody({ urlencoded: false, text: false, jsonLimit: '256kb', onError: onUnreadable })
const readForm = koaBody({ json: false, text: false, formLimit: '16kb', onError: onUnreadable })
