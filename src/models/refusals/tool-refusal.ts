import { saidIn, sentenceIn } from './said.ts'
import { isTooLong } from './too-long.ts'

/** What a provider refuses of the tools of a request. */
export type ToolRefusal =
  /** One of them, by its place. */
  | { tool: number }
  /** More of them than this. */
  | { most: number }

/** Other refusals: of the key, the account, the model, or for now. */
const ofSomethingElse = new Set([401, 402, 403, 404, 408, 429])

/** Where a tool stands in the request, as providers write it: the first form that is found counts. */
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
 * Which tool a provider refuses, by what it says; undefined if it says nothing of the kind.
 *
 * @param names of the tools, in the order in which they were sent
 */
export function toolRefusal(error: unknown, names: readonly string[]): ToolRefusal | undefined {
  const said = saidIn(error)
  if (!said || names.length === 0 || ofSomethingElse.has(said.status ?? 0) || isTooLong(error)) return undefined
  // A body within a body has its quotation marks escaped.
  const text = said.text.replaceAll('\\', '')
  const placed = placeForms.map((form) => form.exec(text)?.[1]).find((place) => place !== undefined)
  if (placed !== undefined && Number(placed) < names.length) return { tool: Number(placed) }
  const sentence = sentenceIn(said).replaceAll('\\', '')
  if (!/tool|function|schema|parameters/i.test(sentence)) return undefined
  const named = names.findIndex((name) => isNamed(sentence, name))
  if (named >= 0) return { tool: named }
  const most = Number(mostForm.exec(sentence)?.[1] ?? Infinity)
  const isOfCount = /\b(?:tools|functions|function.?declarations)\b/i.test(text)
  return isOfCount && most < names.length ? { most } : undefined
}

/** In quotation marks, or after a word that says what it is: many names are usual words. */
function isNamed(sentence: string, name: string): boolean {
  const at = RegExp.escape(name)
  return new RegExp(
    `["'\`“‘(<\\[]${at}["'\`”’)>\\]]|\\b(?:function|tool|name|declaration)s?\\b\\W{1,4}${at}(?![\\w-])`,
    'i',
  ).test(sentence)
}
