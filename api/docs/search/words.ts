/** How the search reads words, in what it has and in what is asked for. */

/** A word, and where it stands in its text. */
export interface Word {
  text: string
  at: number
}

/** The words of a text. The name of a setting or a code is one. */
export const wordsIn = (text: string): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}_]+/gu)].map(({ 0: text, index }) => ({ text, at: index }))

/** A text as the search takes it apart: words, and the parts of names such as NO_CREDITS and callbackUrl. */
export const tokensIn = (text: string): string[] => wordsIn(text).flatMap(({ text: word }) => [word, ...partsOf(word)])

function partsOf(word: string): string[] {
  const parts = word.split(/_+|(?<=[a-z\d])(?=[A-Z])/).filter(Boolean)
  return parts.length > 1 ? parts : []
}

const stopWords = new Set(
  'a an and are as at be by can do for from how i in is it my of on or the to what when with'.split(' '),
)

/** A word as it is compared; undefined for one that says nothing. The plural is taken for the singular. */
export function termOf(word: string): string | undefined {
  const lowered = word.toLowerCase()
  if (stopWords.has(lowered)) return undefined
  return lowered.length > 3 && /[^s]s$/.test(lowered) ? lowered.slice(0, -1) : lowered
}
