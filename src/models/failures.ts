import { APICallError } from '@ai-sdk/provider'
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { CodedError, isCoded, type ErrorOptions } from '../errors.ts'
import { readUsage, type Usage } from './usage.ts'

/** The longest Retry-After of a provider that is honoured: a day. */
const maxRetryAfterSeconds = 86_400

/** A failure of a model call, with the tokens that the provider says it has used, and so has billed. */
export class ModelError extends CodedError {
  readonly usage: Usage | undefined

  constructor(options: ErrorOptions & { usage?: Usage | undefined }) {
    super('MODEL_ERROR', options)
    this.usage = options.usage
  }
}

/** An answer that broke off: `cause` is what the adapter said of it, if anything. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
  readonly usage: Usage | undefined

  constructor(cause: unknown, usage: Usage | undefined) {
    super('the answer broke off', { cause })
    this.usage = usage
  }
}

export const brokenAnswer = (cause: unknown, usage: LanguageModelV4Usage | undefined): BrokenAnswer =>
  new BrokenAnswer(cause, readUsage(usage))

/**
 * Turns an error of a provider's call into MODEL_ERROR. Only the class and the status of the original survive: the AI
 * SDK's errors hold the whole request, prompt included (`requestBodyValues`), and the provider's answer may quote it.
 *
 * @param now the current time, from which a Retry-After date counts (RFC 9110, section 10.2.3)
 */
export function modelFailure(error: unknown, now: Date): CodedError {
  if (isCoded(error)) return error
  if (error instanceof BrokenAnswer) return brokenFailure(error, now)
  if (!APICallError.isInstance(error)) return otherFailure(error)
  const { statusCode, isRetryable } = error
  const retryAfter = readRetryAfter(error.responseHeaders?.['retry-after'], now)
  return new ModelError({
    message: sentence(statusCode, isRetryable),
    retryable: isRetryable,
    ...(retryAfter !== undefined && { retryAfter }),
    privateDetail: [`${error.name}, status ${statusCode ?? 'none'}`, systemCodeOf(error)].filter(Boolean).join(', '),
  })
}

/** The connection or the format broke, or the provider said in the middle that it fails: another attempt may succeed. */
function brokenFailure({ cause, usage }: BrokenAnswer, now: Date): ModelError {
  if (APICallError.isInstance(cause) && cause.statusCode !== 200) {
    const { message, retryable, retryAfter, privateDetail } = modelFailure(cause, now)
    return new ModelError({
      message,
      retryable,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(privateDetail !== undefined && { privateDetail }),
      usage,
    })
  }
  const { name, statusCode, isRetryable } = streamError(cause)
  return new ModelError({
    message: statusCode === undefined ? lostSentence : sentence(statusCode, isRetryable),
    retryable: isRetryable,
    privateDetail: `broken answer: ${name}, status ${statusCode ?? 'none'}`,
    usage,
  })
}

/** What an adapter says of an error in a stream (ProviderStreamError of the AI SDK, which exports no class for it). */
function streamError(cause: unknown): { name: string; statusCode: number | undefined; isRetryable: boolean } {
  const name = cause instanceof Error ? cause.name : cause === undefined ? 'no end' : typeof cause
  const said = (typeof cause === 'object' && cause !== null ? cause : {}) as Record<string, unknown>
  const status = said['statusCode']
  return {
    name,
    statusCode: typeof status === 'number' && status >= 400 ? status : undefined,
    isRetryable: said['isRetryable'] !== false,
  }
}

const lostSentence = 'The answer of the AI provider broke off before it was complete.'

/** An answer came, but it is marked as incomplete, or lacks its token usage. */
export function unusableAnswer(what: string, usage?: Usage): ModelError {
  return new ModelError({
    message: `The AI provider's answer ${what}.`,
    retryable: true,
    privateDetail: `unusable answer: ${what}`,
    usage,
  })
}

/** The model is not configured any more, or its provider's adapter cannot be loaded. */
export function noSuchModel(name: string): ModelError {
  return new ModelError({
    message: `The model ${name} is not among those of this platform. GET /models lists them.`,
    retryable: false,
    privateDetail: 'unknown model',
  })
}

/** What has to stay in the prompt is more than the model can take; it is not asked. */
export function promptTooLong(name: string, sizes: { tokens: number; contextTokens: number; promptTokens: number }) {
  const { tokens, contextTokens, promptTokens } = sizes
  const window = `its context window has ${contextTokens} tokens, of which a prompt may take ${promptTokens}`
  return new ModelError({
    message:
      `The run has become too long for the model ${name}, so that was not asked: the instructions, the payload and the ` +
      `last tool results are about ${tokens} tokens; ${window}. Choose a model with a larger window, or send less.`,
    retryable: false,
    privateDetail: 'prompt too long',
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

/** Such as ECONNREFUSED; the message beside it may hold an address with a key. */
function systemCodeOf(error: Error): string | undefined {
  for (let { cause } = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code.slice(0, 40)
  }
  return undefined
}

function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const written = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(written) ? Number(written) : (Date.parse(written) - now.getTime()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds)
}
