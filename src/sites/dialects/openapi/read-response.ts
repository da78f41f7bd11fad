import { decodeUtf8, isObject, parseJson } from '../../../json.ts'
import type { SafeResponse } from '../../../safe-fetch/safe-fetch.ts'
import { plainType } from './document/media-types.ts'

/** Longer refusals are not searched for words. */
const maxSearched = 16 * 1024

/**
 * A response in the form of our protocol, where a refusal has its words in `error`. A success in text, XML or HTML is
 * an object with that text. Bytes that are no text stay what they are, and cannot be read later.
 */
export function inPlainForm(response: SafeResponse): SafeResponse {
  const text = decodeUtf8(response.body)
  if (text === undefined || text.trim() === '') return response
  if (response.status >= 200 && response.status < 300)
    return isTextual(response.headers) ? withBody(response, { text }) : response
  const words = wordsIn(text, response.headers)
  return words === undefined ? response : withBody(response, { error: words })
}

const withBody = (response: SafeResponse, body: object): SafeResponse => ({
  ...response,
  body: Buffer.from(JSON.stringify(body)),
})

const typeOf = (headers: Headers): string => plainType(headers.get('content-type') ?? '')

/** A response without a type is taken for JSON, as most of these are. */
const isTextual = (headers: Headers): boolean => !/^$|[/+]json$/.test(typeOf(headers))

/** Where APIs put what they say about a failure, the most specific place first (RFC 9457, 3.1; RFC 6749, 5.2). */
const places = ['error', 'message', 'detail', 'error_description', 'description', 'title', 'errors', 'fault']

function wordsIn(text: string, headers: Headers): string | undefined {
  if (text.length > maxSearched) return undefined
  if (typeOf(headers) === 'text/plain') return text
  const parsed = parseJson(text, { maxDepth: 20 })
  return parsed.ok ? wordsOf(parsed.value, 3) : undefined
}

function wordsOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return wordsOf(value[0], depth - 1)
  if (!isObject(value)) return undefined
  return places.map((name) => wordsOf(value[name], depth - 1)).find((words) => words !== undefined)
}
