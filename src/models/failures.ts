import { isObject } from '../json.ts'
import { APICallError } from '@ai-sdk/provider'
import { CodedError, type ErrorOptions } from '../errors.ts'

import { providerPause } from './retry-after.ts'
import { unreadMember } from './unread-member.ts'
import type { Usage } from './usage.ts'

/**
 * A failure of a model call, with the tokens that the provider says it has used, and so has billed; and whether the
 * provider takes no more requests for now, whatever they say.
 */
export class ModelError extends CodedError {
  usage: Usage | undefined
  readonly isOverQuota: boolean
  /** Known before anybody was asked: another prompt may be answered. */
  readonly isOfPrompt: boolean
  /** Not a property of its own, because loggers print those, and a provider may quote the prompt. */
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

  /** The body of the provider's answer, as it came. */
  providerSaid(): string | undefined {
    return this.#providerSaid
  }
}

/** An answer that broke off: `cause` is what the adapter said of it, if anything. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'

  constructor(cause: unknown) {
    super('the answer broke off', { cause })
  }
}

/**
 * Turns an error of a provider's call into MODEL_ERROR. Only the class and the status of the original survive: the AI
 * SDK's errors hold the whole request, prompt included (`requestBodyValues`), and the provider's answer may quote it.
 *
 * @param now the current time, from which a Retry-After date counts (RFC 9110, section 10.2.3)
 */
export function modelFailure(error: unknown, now: Date): ModelError {
  const known = error instanceof Error ? [error, ...causesOf(error)].find(isKnown) : undefined
  if (known instanceof ModelError) return known
  if (APICallError.isInstance(known)) return callFailure(known, now)
  if (error instanceof BrokenAnswer) return brokenFailure(error)
  return APICallError.isInstance(error) ? callFailure(error, now) : otherFailure(error)
}

/** What the answer's reader has thrown, whatever was made of that since; and what has a status that says enough. */
const isKnown = (error: Error): boolean =>
  error instanceof ModelError || (APICallError.isInstance(error) && isErrorStatus(error.statusCode ?? 0))

/** The request failed, or its answer did before it began. */
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

/** The connection or the format broke, or the provider said in the middle that it fails: another attempt may succeed. */
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
 * What an error in a stream says of itself. Some adapters read the provider's words (ProviderStreamError of the AI SDK,
 * which exports no class for it); others hand them on, and then a status is where the provider has put it.
 */
function streamError(cause: unknown): { statusCode: number | undefined; isRetryable: boolean } {
  const said = isObject(cause) ? cause : {}
  const statusCode = [said['statusCode'], said['status'], said['code']].map(Number).find(isErrorStatus)
  const { isRetryable = statusCode === undefined || isPassing(statusCode) } = said
  return { statusCode, isRetryable: isRetryable !== false }
}

const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status < 600

const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

/** An answer came, but it is marked as incomplete. */
export function unusableAnswer(what: string, usage?: Usage): ModelError {
  return new ModelError({
    message: `The AI provider's response ${what}.`,
    retryable: true,
    privateDetail: `unusable answer: ${what}`,
    usage,
  })
}

/** A complete answer that cannot be used: another one would be like it. */
export function unreadableAnswer(what: string, providerSaid?: string): ModelError {
  return new ModelError({
    message: `The AI provider's response ${what}.`,
    retryable: false,
    privateDetail: `unreadable answer: ${what}`,
    ...(providerSaid !== undefined && { providerSaid }),
  })
}

/** Nobody knows what the answer has cost. */
export const noUsage = (): ModelError =>
  unreadableAnswer(
    'does not report token usage, so it cannot be charged. An operator can turn on estimates with "estimateUsage": true for this model in MODELS_FILE',
  )

const passing = (message: string, providerSaid: string | undefined): ModelError =>
  new ModelError({
    message,
    retryable: true,
    privateDetail: `no answer: ${message}`,
    ...(providerSaid !== undefined && { providerSaid }),
  })

/** The connection was lost in the middle of an answer, or the answer is a part of one. */
export const brokenOff = (providerSaid?: string): ModelError => passing(brokenOffSentence, providerSaid)

/** A status of success, and a report of a failure of which no kind is known. */
export const failedInside = (providerSaid: string): ModelError => passing(reported, providerSaid)

/** Such as the page of a proxy. */
export const noJson = (providerSaid: string): ModelError =>
  passing('The AI provider responded with a web page or text instead of JSON.', providerSaid)

export const emptyBody = (): ModelError => passing('The AI provider returned an empty response.', undefined)

/** The model is not configured any more, or its provider's adapter cannot be loaded. */
export function noSuchModel(name: string): ModelError {
  return new ModelError({
    message: `There is no model named ${name}. GET /models lists the available models.`,
    retryable: false,
    privateDetail: 'unknown model',
  })
}

/** What has to stay in the prompt is more than the model can take; it is not asked. */
export function promptTooLong(name: string, sizes: { tokens: number; contextTokens: number; promptTokens: number }) {
  const { tokens, contextTokens, promptTokens } = sizes
  const window = `Its context window is ${contextTokens} tokens, and a prompt can use ${promptTokens} of them`
  return new ModelError({
    message:
      `The prompt exceeds the context window of the model ${name}, so the model was not called. The instructions, the tools, the ` +
      `newest input and the last tool results are about ${tokens} tokens. ${window}. Choose a model with a larger window, offer fewer tools, or send less.`,
    retryable: false,
    isOfPrompt: true,
    privateDetail: 'prompt too long',
  })
}

/** No answer came within MODEL_TIMEOUT_SECONDS. */
export function lateAnswer(seconds: number): ModelError {
  return new ModelError({
    message: `The AI provider did not respond within the time limit of ${seconds} s.`,
    retryable: true,
    privateDetail: 'TimeoutError',
  })
}

/** A timeout of the provider's own may pass; with anything else, the prompt or the adapter will fail again. */
function otherFailure(error: unknown): ModelError {
  const name = error instanceof Error ? error.name : typeof error
  return new ModelError({
    message: 'The call to the AI provider failed.',
    retryable: name === 'TimeoutError' || name === 'AbortError',
    privateDetail: [...kindsOf(error), 'no status'].join(', '),
  })
}

/** The classes and codes of an error and its causes. The texts beside them may hold the prompt, or a key. */
function kindsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [typeof error]
  return [error, ...causesOf(error)].map((one) => [classOf(one), codeOf(one)].filter(Boolean).join(' '))
}

/** A `name` may be set to any text; that of the class is code. */
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

const reported = 'The AI provider reported a failure in its response.'
const brokenOffSentence = "The AI provider's response ended before it was complete."
const unreadable = "The AI provider's response could not be read."

const unreachedSentence = (code: string | undefined): string =>
  code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
    ? 'The AI provider closed the connection without responding.'
    : 'The AI provider could not be reached.'

/** Of an answer that began. What a provider says of its failure is no error object, as far as adapters hand it on. */
function brokenSentence(cause: unknown): string {
  if (cause !== undefined && !(cause instanceof Error)) return reported
  const isUnreadable = cause instanceof Error && /JSONParse/.test(cause.name)
  return isUnreadable ? unreadable : brokenOffSentence
}

/** Such as ECONNREFUSED; the message beside it may hold an address with a key. */
const systemCodeOf = (error: Error): string | undefined =>
  causesOf(error)
    .map(codeOf)
    .find((code) => code !== undefined)

/** What led to an error, the nearest first. */
export function causesOf(error: Error): Error[] {
  const causes: Error[] = []
  for (let { cause } = error; cause instanceof Error && causes.length < 5; { cause } = cause) causes.push(cause)
  return causes
}
