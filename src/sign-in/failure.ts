import * as oauth from 'oauth4webapi'
import { CodedError, isCoded } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { quotedWords } from '../names.ts'
import { SafeFetchError } from '../safe-fetch/safe-fetch.ts'
import type { Provider } from './provider.ts'
import { UnusableTokenAnswer } from '../vault/oauth/token-answer.ts'

/**
 * Maps errors of a provider to codes: SITE_UNAVAILABLE, PERMISSION_DENIED, VALIDATION_ERROR. The library's messages may
 * quote the request, so they stay private. Its errors contain tokens, so they are not set as causes.
 */
function asCoded(error: unknown): CodedError {
  if (isCoded(error)) return error
  // A refused address, an unknown name and a closed port give the same error: differences would map the network.
  if (error instanceof SafeFetchError)
    return new CodedError('SITE_UNAVAILABLE', { message: unreachable, privateDetail: error.reason, cause: error })
  if (error instanceof oauth.AuthorizationResponseError) return refused(error)
  if (error instanceof UnusableTokenAnswer) {
    const message = `The sign-in failed because the sign-in provider's response is invalid: ${error.message}.`
    return new CodedError('PERMISSION_DENIED', { message, privateDetail: error.message })
  }
  const status = statusOf(error)
  if (status !== undefined && passes(status))
    return new CodedError('SITE_UNAVAILABLE', { message: failing, privateDetail: `status ${status}` })
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError)
    return new CodedError('PERMISSION_DENIED', { message: codeRefused, privateDetail: error.message })
  // Including keys that cannot be imported, for which each platform has its own errors. Only the library's errors quote
  // nothing.
  const isOfLibrary =
    error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError
  const privateDetail = isOfLibrary ? error.message : error instanceof Error ? error.name : 'something was thrown'
  return new CodedError('PERMISSION_DENIED', { message: notValid, privateDetail })
}

/** The status of a response that the library refused. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError)
    return error.status
  const { cause } = error as { cause?: unknown }
  return error instanceof oauth.OperationProcessingError && cause instanceof Response ? cause.status : undefined
}

/** Temporary failures: server errors, and a server that is busy. */
export const passes = (status: number): boolean => status >= 500 || status === 429 || status === 408

/** Does work at a provider and gives its failures codes. */
export async function coded<T>(logger: Logger, provider: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const failure = asCoded(error)
    const { code, privateDetail } = failure
    const { id, issuer } = provider
    const cause = failure.cause instanceof SafeFetchError ? failure.cause.code : undefined
    // Mistakes of the user or the browser have no private detail.
    if (privateDetail !== undefined)
      logger.warn({ provider: id, issuer, code, privateDetail, cause }, 'sign-in provider failed')
    throw failure
  }
}

/** The provider's own `error` (RFC 6749, 4.1.2.1). */
function refused({ error, error_description: description }: oauth.AuthorizationResponseError): CodedError {
  if (error === 'access_denied') return new CodedError('PERMISSION_DENIED', { message: denied })
  const message = `The sign-in provider refused the sign-in and said: ${quotedWords(error, description)}.`
  return new CodedError('PERMISSION_DENIED', { message })
}

const unreachable = 'The sign-in provider could not be reached or did not respond in time. Try again later.'
const failing = 'The sign-in provider returned an error. Try again later.'
const denied = 'Access was denied at the sign-in provider, so you are not signed in.'
const codeRefused = 'The sign-in provider rejected its own authorization code. Start again.'
const notValid = "The sign-in failed because the sign-in provider's response is invalid."
