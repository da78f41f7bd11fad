/** How the search splits texts and queries into terms. */

export interface Word {
  text: string
  at: number
}

/** The words of a text. The name of a setting or a code is one word. */
export const wordsIn = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}_]+/gu)].map(({ 0: text, index }) => ({ text, at: index }))

/** The tokens of a text: words, and the parts of names such as NO_CREDITS and callbackUrl. */
export const tokensIn = (text: string): string[] => wordsIn(text).flatMap(({ text: word }) => [word, ...partsOf(word)])

function partsOf(word: string): string[] {
  const parts = word.split(/_+|(?<=[a-z\d])(?=[A-Z])/).filter(Boolean)
  return parts.length > 1 ? parts : []
}

const stopWords = new Set(
  'a an and are as at be by can do for from how i in is it my of on or the to what when with'.split(' '),
)

/** The normalized form of a word; undefined for a stop word. A plural becomes the singular. */
export function termOf(word: string): string | undefined {
  const lowered = word.toLowerCase()
  if (stopWords.has(lowered)) return undefined
  return lowered.length > 3 && /[^s]s$/.test(lowered) ? lowered.slice(0, -1) : lowered
}
