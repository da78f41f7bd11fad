import { isObject } from '../../json.ts'
import { APICallError } from '@ai-sdk/provider'
import { parse } from '../arguments.ts'
import { BrokenAnswer, causesOf, ModelError } from '../failures.ts'
import { failureIn } from '../providers/inner-failure.ts'

export interface ProviderError {
  status: number | undefined
  text: string
}

/** Only the beginning is read, where the message is. */
const maxText = 8 * 1024

/** Reads a provider's message from an error of a call, or of a stream that broke off. */
export function providerErrorIn(error: unknown): ProviderError | undefined {
  if (!(error instanceof Error)) return undefined
  const all = [error, ...causesOf(error)]
  // If an adapter fails on a stream, the cause is the failure that the stream reported.
  const answered = all.find((one): one is APICallError => APICallError.isInstance(one) && Boolean(one.responseBody))
  const refused = answered ?? all.find((one): one is APICallError => APICallError.isInstance(one))
  if (refused) {
    const { statusCode: status, responseBody, message } = refused
    const text = responseBody || message
    return status === undefined || status < 300 ? reported(text) : { status, text: text.slice(0, maxText) }
  }
  if (error instanceof ModelError) return reported(error.providerSaid() ?? '')
  return error instanceof BrokenAnswer ? errorInStream(error.cause) : undefined
}

/** An error that a stream reported, as its adapter passes it on. */
function errorInStream(cause: unknown): ProviderError | undefined {
  if (typeof cause === 'string') return { status: undefined, text: cause.slice(0, maxText) }
  if (!isObject(cause)) return undefined
  const status = [cause['statusCode'], cause['status'], cause['code']]
    .map(Number)
    .find((one) => one >= 400 && one < 600)
  const message = cause instanceof Error ? cause.message : JSON.stringify(cause)
  return { status, text: message.slice(0, maxText) }
}

/** A successful answer either reports a failure or contains the model's words. */
function reported(text: string): ProviderError | undefined {
  const failure = failureIn(parse(text))
  return failure && { status: failure.status, text: text.slice(0, maxText) }
}

const places = [['error', 'message'], ['message'], ['detail'], ['error'], ['errors'], ['msg']]

export const messageIn = (rejection: ProviderError): string => statedIn(rejection) ?? rejection.text

const maxLogged = 500

/** The part of a refusal that is logged. Anything but an error message may contain the prompt. */
export function loggedMessage(error: unknown): string | undefined {
  const rejection = providerErrorIn(error)
  if (!rejection || !ofTheRequest.has(rejection.status ?? 0)) return undefined
  return statedIn(rejection)?.slice(0, maxLogged)
}

const ofTheRequest = new Set([400, 413, 422])

function statedIn({ text }: ProviderError): string | undefined {
  const read = parse(text)
  const body: unknown = Array.isArray(read) ? read[0] : read
  for (const place of places) {
    const found = place.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body)
    if (typeof found === 'string' && found !== '') return `${found}${parameterIn(body)}`
    if (Array.isArray(found)) return found.map(problemIn).join('; ')
  }
  return undefined
}

/** OpenAI names the member outside the message. */
function parameterIn(body: unknown): string {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : body
  return isObject(error) && typeof error['param'] === 'string' ? ` (${error['param']})` : ''
}

/** Pydantic repeats the input beside the place and the message, so only these two are read. */
function problemIn(problem: unknown): string {
  if (!isObject(problem)) return typeof problem === 'string' ? problem : ''
  const { loc, msg, message } = problem
  const words = [msg, message].find((one) => typeof one === 'string') ?? ''
  return `${Array.isArray(loc) ? loc.join('.') : ''}: ${words}`
}
