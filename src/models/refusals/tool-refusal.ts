import { saidIn, sentenceIn } from './said.ts'
import { isTooLong } from './too-long.ts'

/** The tools of a request that a provider rejects. */
export type ToolRefusal =
  /** One of them, by its place. */
  | { tool: number }
  /** More of them than this. */
  | { most: number }

/** Refusals of what was sent. Others are of the key, the account or the model, or for now. */
const ofTheRequest = new Set([undefined, 400, 413, 422])

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
 * @param names of the tools, in the order in which they were sent; undefined for those that it cannot be
 */
export function toolRefusal(error: unknown, names: readonly (string | undefined)[]): ToolRefusal | undefined {
  const said = saidIn(error)
  if (!said || names.length === 0 || !ofTheRequest.has(said.status) || isTooLong(error)) return undefined
  // A body within a body has its quotation marks escaped.
  const sentence = sentenceIn(said).replaceAll('\\', '')
  const placed = placeForms.map((form) => form.exec(sentence)?.[1]).find((place) => place !== undefined)
  if (placed !== undefined && Number(placed) < names.length) return { tool: Number(placed) }
  if (!/tool|function|schema|parameters/i.test(sentence)) return undefined
  const named = first(sentence, names, asTool) ?? first(sentence, names, quoted)
  if (named !== undefined) return { tool: named }
  const most = Number(mostForm.exec(sentence)?.[1] ?? Infinity)
  const isOfCount = /\b(?:tools|functions|function.?declarations)\b/i.test(sentence)
  return isOfCount && most < names.length ? { most } : undefined
}

/** After a word that says what it is. */
const asTool = (name: string) => `\\b(?:function|tool|declaration)s?\\b\\W{1,4}${name}(?![\\w-])`

/** In quotation marks: many names are usual words. */
const quoted = (name: string) => `["'\`“‘(<\\[]${name}["'\`”’)>\\]]|\\bname\\b\\W{1,4}${name}(?![\\w-])`

/** The tool that is named first: what comes after it is about the tool, such as a property with the name of another. */
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
