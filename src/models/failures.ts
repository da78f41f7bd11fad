import { APICallError } from '@ai-sdk/provider'
import { CodedError, isCoded } from '../errors.ts'

/** The longest Retry-After of a provider that is honoured: a day. */
const maxRetryAfterSeconds = 86_400

/**
 * Turns an error of a provider's call into MODEL_ERROR. Only the class and the status of the original survive: the AI
 * SDK's errors hold the whole request, prompt included (`requestBodyValues`), and the provider's answer may quote it.
 *
 * @param now the current time, from which a Retry-After date counts (RFC 9110, section 10.2.3)
 */
export function modelFailure(error: unknown, now: Date): CodedError {
  if (isCoded(error)) return error
  if (!APICallError.isInstance(error)) return otherFailure(error)
  const { statusCode, isRetryable } = error
  const retryAfter = readRetryAfter(error.responseHeaders?.['retry-after'], now)
  return new CodedError('MODEL_ERROR', {
    message: sentence(statusCode, isRetryable),
    retryable: isRetryable,
    ...(retryAfter !== undefined && { retryAfter }),
    privateDetail: `${error.name}, status ${statusCode ?? 'none'}`,
  })
}

/** An answer came, but it is marked as incomplete, or lacks its token usage. */
export function unusableAnswer(what: string): CodedError {
  return new CodedError('MODEL_ERROR', {
    message: `The AI provider's answer ${what}.`,
    retryable: true,
    privateDetail: `unusable answer: ${what}`,
  })
}

/** No answer came within MODEL_TIMEOUT_SECONDS. */
export function lateAnswer(seconds: number): CodedError {
  return new CodedError('MODEL_ERROR', {
    message: `The AI provider did not answer within the limit of ${seconds} s.`,
    retryable: true,
    privateDetail: 'TimeoutError',
  })
}

/** A timeout of the provider's own may pass; with anything else, the prompt or the adapter will fail again. */
function otherFailure(error: unknown): CodedError {
  const name = error instanceof Error ? error.name : typeof error
  return new CodedError('MODEL_ERROR', {
    message: 'The call to the AI provider failed.',
    retryable: name === 'TimeoutError' || name === 'AbortError',
    privateDetail: `${name}, no status`,
  })
}

function sentence(status: number | undefined, retryable: boolean): string {
  if (status === undefined) return 'The AI provider could not be reached.'
  if (status === 401 || status === 403) return "The AI provider refused the platform's credentials."
  if (status === 429) return 'The AI provider is taking no more requests from this platform for now.'
  if (status >= 500) return `The AI provider is failing or overloaded (status ${status}).`
  if (status >= 400) return `The AI provider refused the request (status ${status}).`
  return retryable
    ? 'The connection to the AI provider was lost before its answer was complete.'
    : "The AI provider's answer could not be read."
}

function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const written = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(written) ? Number(written) : (Date.parse(written) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds)
}
