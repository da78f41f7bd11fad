import { parseJson } from '../json.ts'
import { JsonText } from '../json-text.ts'
import type { ToolCall } from './tool-call.ts'

/** Unsent arguments of up to this length are parsed to see whether they are JSON; that takes two milliseconds at worst. */
const parsedCharacters = 32 * 1024

/**
 * The arguments of a call as JSON. Models also write texts that are not JSON objects of reasonable size and depth: such a
 * call is never sent, and its text is shown as a string.
 */
export const shownArguments = ({ arguments: text, attempts }: Pick<ToolCall, 'arguments' | 'attempts'>) =>
  attempts > 0 || (text.length <= parsedCharacters && parseJson(text).ok) ? new JsonText(text) : text

/** What the model sees of a call: the site's result as JSON, or a sentence about the failure. */
export const shownResult = ({ status, result }: Pick<ToolCall, 'status' | 'result'>): JsonText | string | null =>
  status === 'succeeded' && result !== null ? new JsonText(result) : result
