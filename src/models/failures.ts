import { isObject } from '../json.ts'
import { APICallError } from '@ai-sdk/provider'
import { CodedError, type ErrorOptions } from '../errors.ts'

import { providerPause } from './retry-after.ts'
import { unreadMember } from './unread-member.ts'
import type { Usage } from './usage.ts'

/**
 * A failure of a model call, with the billed tokens if the provider stated them, and whether the provider refuses all
 * requests for now.
 */
export class ModelError extends CodedError {
  usage: Usage | undefined
  readonly isOverQuota: boolean
  /** Found before the model was called. Another prompt may succeed. */
  readonly isOfPrompt: boolean
  /** Private, because loggers print properties, and a provider may quote the prompt. */
  readonly #providerSaid: string | undefined

  constructor(
    options: ErrorOptions &
      Partial<Pick<ModelError, 'usage' | 'isOverQuota' | 'isOfPrompt'>> & { providerSaid?: string },
  ) {
    super('MODEL_ERROR', options)
    this.usage = options.usage
    this.isOverQuota = options.isOverQuota ?? false
    this.isOfPrompt = options.isOfPrompt ?? false
    this.#providerSaid = options.providerSaid
  }

  providerSaid(): string | undefined {
    return this.#providerSaid
  }
}

/** An answer that broke off. `cause` is the adapter's report, if any. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'

  constructor(cause: unknown) {
    super('the answer broke off', { cause })
  }
}

/**
 * Converts an error of a provider's call to MODEL_ERROR. Only the class and the status of the original survive: the AI
 * SDK's errors contain the whole request, including the prompt (`requestBodyValues`), and the provider's answer may
 * quote it.
 *
 * @param now the time from which a Retry-After date counts (RFC 9110, section 10.2.3)
 */
export function modelFailure(error: unknown, now: Date): ModelError {
  const known = error instanceof Error ? [error, ...causesOf(error)].find(isKnown) : undefined
  if (known instanceof ModelError) return known
  if (APICallError.isInstance(known)) return callFailure(known, now)
  if (error instanceof BrokenAnswer) return brokenFailure(error)
  return APICallError.isInstance(error) ? callFailure(error, now) : otherFailure(error)
}

/** An error of the answer's reader, even if wrapped since, or one with a sufficient status. */
const isKnown = (error: Error): boolean =>
  error instanceof ModelError || (APICallError.isInstance(error) && isErrorStatus(error.statusCode ?? 0))

/** The request failed, or its answer did before it started. */
function callFailure(error: APICallError, now: Date): ModelError {
  const unread = unreadMember(error)
  if (unread !== undefined) return unreadableAnswer(`could not be read because ${unread}`, error.responseBody)
  const { name, statusCode, isRetryable, responseHeaders, responseBody } = error
  const retryAfter = providerPause(responseHeaders, now)
  const code = systemCodeOf(error)
  return new ModelError({
    message: statusCode === undefined ? unreachedSentence(code) : sentence(statusCode, isRetryable),
    retryable: isRetryable,
    isOverQuota: statusCode === 429,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(responseBody !== undefined && { providerSaid: responseBody }),
    privateDetail: [`${name}, status ${statusCode ?? 'none'}`, code].filter(Boolean).join(', '),
  })
}

/** The connection or the format broke, or the provider failed in the middle. Another attempt may succeed. */
function brokenFailure({ cause }: BrokenAnswer): ModelError {
  const unread = unreadMember(cause)
  if (unread !== undefined) return unreadableAnswer(`could not be read because ${unread}`)
  const { statusCode, isRetryable } = streamError(cause)
  const name = cause instanceof Error ? cause.name : cause === undefined ? 'no end' : typeof cause
  return new ModelError({
    message: statusCode === undefined ? brokenSentence(cause) : sentence(statusCode, isRetryable),
    retryable: isRetryable,
    isOverQuota: statusCode === 429,
    ...(isObject(cause) && typeof cause['message'] === 'string' && { providerSaid: cause['message'] }),
    privateDetail: `broken answer: ${name}, status ${statusCode ?? 'none'}`,
  })
}

/**
 * The details of an error in a stream. Some adapters parse the provider's error. Others pass it on unparsed, with the
 * status where the provider put it.
 */
function streamError(cause: unknown): { statusCode: number | undefined; isRetryable: boolean } {
  const details = isObject(cause) ? cause : {}
  const statusCode = [details['statusCode'], details['status'], details['code']].map(Number).find(isErrorStatus)
  const { isRetryable = statusCode === undefined || isPassing(statusCode) } = details
  return { statusCode, isRetryable: isRetryable !== false }
}

const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status < 600

const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

export function unusableAnswer(what: string, usage?: Usage): ModelError {
  return new ModelError({
    message: `The AI provider's response ${what}.`,
    retryable: true,
    privateDetail: `unusable answer: ${what}`,
    usage,
  })
}

/** A complete answer that cannot be used. Another one would be the same. */
export function unreadableAnswer(what: string, providerSaid?: string): ModelError {
  return new ModelError({
    message: `The AI provider's response ${what}.`,
    retryable: false,
    privateDetail: `unreadable answer: ${what}`,
    ...(providerSaid !== undefined && { providerSaid }),
  })
}

export const noUsage = (): ModelError =>
  unreadableAnswer(
    'does not report token usage, so the platform cannot charge for it. An operator can turn on estimates with "estimateUsage": true for this model in MODELS_FILE',
  )

const passing = (message: string, providerSaid: string | undefined): ModelError =>
  new ModelError({
    message,
    retryable: true,
    privateDetail: `no answer: ${message}`,
    ...(providerSaid !== undefined && { providerSaid }),
  })

/** The connection was lost inside an answer, or the answer is incomplete. */
export const brokenOff = (providerSaid?: string): ModelError => passing(brokenOffSentence, providerSaid)

/** A successful status with a failure of unknown kind. */
export const failedInside = (providerSaid: string): ModelError => passing(reported, providerSaid)

/** For example the page of a proxy. */
export const noJson = (providerSaid: string): ModelError =>
  passing('The AI provider responded with a web page or text instead of JSON.', providerSaid)

/** A complete answer that says nothing. */
export const emptyBody = (): ModelError => passing(emptySentence, undefined)

/** The model was removed from the configuration, or its provider's adapter cannot be loaded. */
export function noSuchModel(name: string): ModelError {
  return new ModelError({
    message: `There is no model named ${name}. GET /models lists the available models.`,
    retryable: false,
    privateDetail: 'unknown model',
  })
}

/** The required part of the prompt exceeds the model's limit. The model is not called. */
export function promptTooLong(name: string, sizes: { tokens: number; contextTokens: number; promptTokens: number }) {
  const { tokens, contextTokens, promptTokens } = sizes
  const window = `Its context window is ${contextTokens} tokens, and a prompt can use ${promptTokens} of them`
  return new ModelError({
    message:
      `The prompt exceeds the context window of the model ${name}, so the model was not called. The instructions, the tools, the ` +
      `newest input and the last tool results are about ${tokens} tokens. ${window}. Choose a model with a larger window, use fewer tools, or send less.`,
    retryable: false,
    isOfPrompt: true,
    privateDetail: 'prompt too long',
  })
}

export function lateAnswer(seconds: number): ModelError {
  return new ModelError({
    message: `The AI provider did not respond within the time limit of ${seconds} s.`,
    retryable: true,
    privateDetail: 'TimeoutError',
  })
}

/** The provider's own timeout may pass. With anything else, the prompt or the adapter would fail again. */
function otherFailure(error: unknown): ModelError {
  const name = error instanceof Error ? error.name : typeof error
  return new ModelError({
    message: 'The call to the AI provider failed.',
    retryable: name === 'TimeoutError' || name === 'AbortError',
    privateDetail: [...kindsOf(error), 'no status'].join(', '),
  })
}

/** The classes and codes of an error and its causes. Their messages may contain the prompt or a key. */
function kindsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [typeof error]
  return [error, ...causesOf(error)].map((one) => [classOf(one), codeOf(one)].filter(Boolean).join(' '))
}

/** A `name` may be any text. The class name is code. */
const classOf = ({ name, constructor }: Error): string =>
  /^[A-Z]\w{0,50}(Error|Exception)$/.test(name) ? name : constructor.name

function codeOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,39}$/.test(code) ? code : undefined
}

function sentence(status: number, mayPass: boolean): string {
  if (status === 401 || status === 403) return "The AI provider rejected the platform's credentials."
  if (status === 402) return "The platform's account with the AI provider has no credit left (status 402)."
  if (status === 404) return 'The AI provider does not offer this model or endpoint (status 404).'
  if (status === 429) return 'The AI provider is rate limiting this platform.'
  if (status >= 500) return `The AI provider is failing or overloaded (status ${status}).`
  if (status >= 400) return `The AI provider rejected the request (status ${status}).`
  if (status >= 300) return `The AI provider responded with a redirect (status ${status}). Redirects are not followed.`
  return mayPass ? brokenOffSentence : unreadable
}

const emptySentence = 'The AI provider returned an empty response.'
const reported = 'The AI provider reported a failure in its response.'
const brokenOffSentence = "The AI provider's response ended before it was complete."
const unreadable = "The AI provider's response could not be read."

const unreachedSentence = (code: string | undefined): string =>
  code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
    ? 'The AI provider closed the connection without responding.'
    : 'The AI provider could not be reached.'

/** For an answer that started. Adapters pass on the provider's failure as something other than an Error. */
function brokenSentence(cause: unknown): string {
  if (cause !== undefined && !(cause instanceof Error)) return reported
  const isUnreadable = cause instanceof Error && /JSONParse/.test(cause.name)
  return isUnreadable ? unreadable : brokenOffSentence
}

/** For example ECONNREFUSED. The message may contain an address with a key. */
const systemCodeOf = (error: Error): string | undefined =>
  causesOf(error)
    .map(codeOf)
    .find((code) => code !== undefined)

export function causesOf(error: Error): Error[] {
  const causes: Error[] = []
  for (let { cause } = error; cause instanceof Error && causes.length < 5; { cause } = cause) causes.push(cause)
  return causes
}
