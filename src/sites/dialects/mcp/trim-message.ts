import { isObject, parseJson } from '../../../json.ts'
import { plainNumber, readExactly } from '../../../outputs/exact-json.ts'
import { beginningOf } from '../../../text.ts'

/** A message of a server, as JSON text. */
export interface GivenMessage {
  text: string
  /** The id of the request that is answered, as a text. */
  id: string
  /** The place that a result gets which is taken out; undefined to leave it where it is. */
  place: number | undefined
}

export interface TrimmedMessage {
  /** What the library gets to see; undefined for nothing. */
  message?: string
  /** Whether that answers the request. */
  isAnswer?: boolean
  /** The result that was taken out, as JSON text with every digit. */
  result?: string
}

/** The member that a result's place in the list of results is under. */
export const placeOf = 'place'

/** Characters of what a server asks for, says about itself, or adds to an error. */
const mostOfOthers = 64 * 1024
const longestWords = 4000

/**
 * Takes out of a message what only the platform reads. The library would check each part of a result in the event loop,
 * and lose digits of long numbers. Notifications and answers to other requests are left out, because a server could
 * send any number. In a list of messages (2025-03-26), the answer counts, or else the first question. Runs in a thread
 * if the text is long, because strangers' input decides how long it takes.
 */
export function trimMessage({ text, id, place }: GivenMessage): TrimmedMessage {
  if (!parseJson(text).ok) return {}
  const given = readExactly(text)
  const messages = (Array.isArray(given) ? (given as unknown[]) : [given]).filter(isObject)
  const answer = messages.find((message) => isAnswerTo(id, message))
  if (answer) return trimmedAnswer(answer, place)
  const question = messages.find((message) => message['method'] !== undefined && message['id'] !== undefined)
  return question && isShort(question) ? { message: JSON.stringify(question) } : {}
}

const isAnswerTo = (asked: string, { id, method }: Record<string, unknown>): boolean =>
  method === undefined && String(plainNumber(id)) === asked

function trimmedAnswer(answer: Record<string, unknown>, place: number | undefined): TrimmedMessage {
  const { jsonrpc, id, result, error } = answer
  const passOn = (left: object, more: { result?: string } = {}) => ({
    message: JSON.stringify(left),
    isAnswer: true,
    ...more,
  })
  if (isObject(error)) return passOn({ jsonrpc, id, error: trimmedError(error) })
  if (place === undefined || !isObject(result) || !isComplete(result)) return isShort(answer) ? passOn(answer) : {}
  return passOn({ jsonrpc, id, result: { ...outlineOf(result), [placeOf]: place } }, { result: JSON.stringify(result) })
}

/** Results before 2026 have no type. Others are questions of the server. */
const isComplete = ({ resultType }: Record<string, unknown>): boolean =>
  resultType === undefined || resultType === 'complete' || resultType === 'task'

/** What the library needs of a result of a tool or a list. It does not know tasks. */
const outlineOf = ({ resultType, task, nextCursor, ttlMs, cacheScope }: Record<string, unknown>) => ({
  content: [],
  tools: [],
  resultType: resultType === 'task' ? 'complete' : resultType,
  isTask: resultType === 'task' || (resultType === undefined && isObject(task)),
  nextCursor,
  ttlMs,
  cacheScope,
})

const trimmedError = ({ code, message, data }: Record<string, unknown>) => ({
  code,
  message: typeof message === 'string' ? beginningOf(message, longestWords) : message,
  data: isShort(data) ? data : undefined,
})

const isShort = (value: unknown): boolean => (JSON.stringify(value)?.length ?? 0) <= mostOfOthers
