import { providerErrorIn, messageIn } from './provider-error.ts'
import { isTooLong } from './prompt-too-long.ts'

/** The position of the rejected tool, or the maximum number of tools. */
export type ToolRefusal = { tool: number } | { most: number }

/** Refusals of the request. Others are about the key, the account or the model, or temporary. */
const ofTheRequest = new Set([undefined, 400, 413, 422])

/** Positions of a tool in the request, as providers write them. The first match counts. */
const placeForms = [
  /function_?declarations?\W{1,4}(\d{1,4})\b/i,
  /\b(?:tools|functions)(?:\.|\[|\/|\.\[)(\d{1,4})\b/,
  /["']tools["']\s*,\s*(\d{1,4})\b/,
  /\btools\s*(?:->|→|>|:)\s*(\d{1,4})\b/,
  /\btools? (?:at |with |number |no\. )?(?:index |position |#)\s*(\d{1,4})\b/i,
]

const mostForm =
  /(?:max(?:imum)?|most|limit|up to|exceed\w*|more than|fewer than|less than|<=)\D{0,60}?\b(\d{2,4})\b(?!\s*(?:char|token|byte|letter))/i

/**
 * The tool that a provider refuses, according to its message; undefined if the message names none.
 *
 * @param names of the tools, in the order in which they were sent; undefined for tools that are excluded
 */
export function toolRefusal(error: unknown, names: readonly (string | undefined)[]): ToolRefusal | undefined {
  const rejection = providerErrorIn(error)
  if (!rejection || names.length === 0 || !ofTheRequest.has(rejection.status) || isTooLong(error)) return undefined
  // In a nested body, quotation marks are escaped.
  const sentence = messageIn(rejection).replaceAll('\\', '')
  const placed = placeForms.map((form) => form.exec(sentence)?.[1]).find((place) => place !== undefined)
  if (placed !== undefined && Number(placed) < names.length) return { tool: Number(placed) }
  if (!/tool|function|schema|parameters/i.test(sentence)) return undefined
  const named = first(sentence, names, asTool) ?? first(sentence, names, quoted)
  if (named !== undefined) return { tool: named }
  const most = Number(mostForm.exec(sentence)?.[1] ?? Infinity)
  const isOfCount = /\b(?:tools|functions|function.?declarations)\b/i.test(sentence)
  return isOfCount && most < names.length ? { most } : undefined
}

/** After a word for a tool. */
const asTool = (name: string) => `\\b(?:function|tool|declaration)s?\\b\\W{1,4}${name}(?![\\w-])`

/** In quotation marks, because many names are common words. */
const quoted = (name: string) => `["'\`“‘(<\\[]${name}["'\`”’)>\\]]|\\bname\\b\\W{1,4}${name}(?![\\w-])`

/** The first named tool. Later names describe it, such as a property with another tool's name. */
function first(
  sentence: string,
  names: readonly (string | undefined)[],
  form: (name: string) => string,
): number | undefined {
  const places = names.map((name) =>
    name === undefined ? -1 : sentence.search(new RegExp(form(RegExp.escape(name)), 'i')),
  )
  const least = Math.min(...places.filter((place) => place >= 0))
  return least === Infinity ? undefined : places.indexOf(least)
}
