import type { Context } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { serverPaths } from '../src/apps/paths.ts'
import { CodedError } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { sendErrorPage } from './browser/browser-answer.ts'
import { noteFailure } from './failures.ts'

/** An error of the library, as its events give it. `expose` is missing on failures of ours, such as of the database. */
interface Refusal extends Error {
  error?: string
  error_description?: string
  error_detail?: string
  expose?: boolean
}

/** Keeps why the library refuses a request until it has answered. */
export function noteRefusal(ctx: Pick<Context, 'state'>, error: Error): void {
  ctx.state['refusal'] = error
}

/** Completes the library's answer: for the person at a browser, for the app, and for the app's owner. */
export async function explainRefusal(ctx: Context, services: Services): Promise<void> {
  const refusal = ctx.state['refusal'] as Refusal | undefined
  if (!refusal) return
  if (refusal.expose !== true) return explainFailure(ctx, services, refusal)
  if (ctx.state['page']) sendErrorPage(ctx, new CodedError('VALIDATION_ERROR', { message: messageOf(refusal) }))
  else if (isUnreadable(refusal)) sayUnavailable(ctx)
  if (ctx.path === serverPaths.token) await noteForOwner(ctx as KoaContextWithOIDC, services, refusal)
}

/** A failure of the platform. An app learns that it can try again, and a browser shows no words of the library. */
function explainFailure(ctx: Context, { logger }: Services, refusal: Refusal): void {
  const error = noteFailure(logger, refusal, 'the authorization server failed')
  if (error.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter))
  if (ctx.state['page']) sendErrorPage(ctx, error)
}

const messageOf = ({ error, error_description: description }: Refusal): string =>
  `The app sent you here with a request that cannot be answered (${description ?? error}). Start again in the app.`

/**
 * Whether the metadata document of a client could not be read now. Clients that hear `invalid_client` throw their
 * tokens away, so that is only for a document that says so.
 */
function isUnreadable({ message, error_description: description, error_detail: detail, cause }: Refusal): boolean {
  const isOfDocument = [message, description].some((text) => text?.includes('metadata document fetch failed'))
  return isOfDocument && (cause instanceof Error || /status (?:429|5\d\d)$/.test(detail ?? ''))
}

const documentSeconds = 60

function sayUnavailable(ctx: Context): void {
  ctx.status = 503
  ctx.set('Retry-After', String(documentSeconds))
  const description = 'The metadata document at the client_id could not be read. Try again.'
  ctx.body = { error: 'temporarily_unavailable', error_description: description }
}

/** Writes to the owner's audit log, if the app holds a code or a token of ours. */
async function noteForOwner(ctx: KoaContextWithOIDC, { apps, logger }: Services, { error }: Refusal): Promise<void> {
  const { code, refresh_token: token } = (ctx.oidc.params ?? {}) as Record<string, unknown>
  try {
    if (typeof code === 'string') await apps.noteFailure('AuthorizationCode', code, String(error))
    if (typeof token === 'string') await apps.noteFailure('RefreshToken', token, String(error))
  } catch (err) {
    logger.warn({ err }, 'failed to note a refused app')
  }
}
