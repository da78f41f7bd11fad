import { isObject } from '../../json.ts'
import { APICallError } from '@ai-sdk/provider'
import { parse } from '../arguments.ts'
import { BrokenAnswer, causesOf, ModelError } from '../failures.ts'
import { failureIn } from '../providers/inner-failure.ts'

/** A provider's reason for rejecting a request. */
export interface Said {
  status: number | undefined
  /** Its answer as it came, bounded. */
  text: string
}

/** So much is looked at: what a provider says stands at the beginning. */
const maxText = 8 * 1024

/** Reads the words of a provider from an error of a call, or of a stream that began and broke off. */
export function saidIn(error: unknown): Said | undefined {
  if (!(error instanceof Error)) return undefined
  const all = [error, ...causesOf(error)]
  // An adapter that fails on a stream has the failure that the stream reported as its cause.
  const answered = all.find((one): one is APICallError => APICallError.isInstance(one) && Boolean(one.responseBody))
  const refused = answered ?? all.find((one): one is APICallError => APICallError.isInstance(one))
  if (refused) {
    const { statusCode: status, responseBody, message } = refused
    const text = responseBody || message
    return status === undefined || status < 300 ? reported(text) : { status, text: text.slice(0, maxText) }
  }
  if (error instanceof ModelError) return reported(error.providerSaid() ?? '')
  return error instanceof BrokenAnswer ? saidInStream(error.cause) : undefined
}

/** An error that a stream reported, as its adapter passes it on. */
function saidInStream(cause: unknown): Said | undefined {
  if (typeof cause === 'string') return { status: undefined, text: cause.slice(0, maxText) }
  if (!isObject(cause)) return undefined
  const status = [cause['statusCode'], cause['status'], cause['code']]
    .map(Number)
    .find((one) => one >= 400 && one < 600)
  const message = cause instanceof Error ? cause.message : JSON.stringify(cause)
  return { status, text: message.slice(0, maxText) }
}

/** An answer that was not refused says something of a failure, or it is an answer: its words are those of the model. */
function reported(text: string): Said | undefined {
  const failure = failureIn(parse(text))
  return failure && { status: failure.status, text: text.slice(0, maxText) }
}

/** Where providers put the sentence that says what is wrong. */
const places = [['error', 'message'], ['message'], ['detail'], ['error'], ['errors'], ['msg']]

/** The sentence among the words; the whole of them if there is none. */
export const sentenceIn = (said: Said): string => statedIn(said) ?? said.text

/** So much of a sentence is logged, in characters. */
const maxLogged = 500

/** What is logged of a refusal. What is no statement of an error may be anything, such as the prompt. */
export function loggedWords(error: unknown): string | undefined {
  const said = saidIn(error)
  if (!said || !ofTheRequest.has(said.status ?? 0)) return undefined
  return statedIn(said)?.slice(0, maxLogged)
}

const ofTheRequest = new Set([400, 413, 422])

function statedIn({ text }: Said): string | undefined {
  const read = parse(text)
  const body: unknown = Array.isArray(read) ? read[0] : read
  for (const place of places) {
    const found = place.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body)
    if (typeof found === 'string' && found !== '') return `${found}${parameterIn(body)}`
    if (Array.isArray(found)) return found.map(problemIn).join('; ')
  }
  return undefined
}

/** OpenAI names the member apart from the sentence. */
function parameterIn(body: unknown): string {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : body
  return isObject(error) && typeof error['param'] === 'string' ? ` (${error['param']})` : ''
}

/** Pydantic repeats what was sent beside the place and the sentence, and that may be anything. */
function problemIn(problem: unknown): string {
  if (!isObject(problem)) return typeof problem === 'string' ? problem : ''
  const { loc, msg, message } = problem
  const words = [msg, message].find((one) => typeof one === 'string') ?? ''
  return `${Array.isArray(loc) ? loc.join('.') : ''}: ${words}`
}
