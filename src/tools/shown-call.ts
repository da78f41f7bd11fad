import { parseJson } from '../json.ts'
import { JsonText } from '../json-text.ts'
import type { ToolCall } from './tool-call.ts'

/** Unsent arguments up to this length are parsed to see whether they are JSON, in two milliseconds at worst. */
const parsedCharacters = 32 * 1024

/**
 * The arguments of a call as JSON. A model may also write a text that is not a JSON object of reasonable size and
 * depth. Such a call is never sent, and its text is shown as a string.
 */
export const shownArguments = ({ arguments: text, attempts }: Pick<ToolCall, 'arguments' | 'attempts'>) =>
  attempts > 0 || (text.length <= parsedCharacters && parseJson(text).ok) ? new JsonText(text) : text

/** The result as the model sees it: the site's JSON, or a sentence about the failure. */
export const shownResult = ({ status, result }: Pick<ToolCall, 'status' | 'result'>): JsonText | string | null =>
  status === 'succeeded' && result !== null ? new JsonText(result) : result
