/** A usual text, in which nothing is hidden. */
const usual = /^[\t\n\r -~]*$/

/** What nobody sees: controls, characters of no width or of direction, tags, and selectors of variants. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const lineBreaks = new Set(['\t', '\n', '\r'])
/** U+200C and U+200D join letters and emojis; U+FE0E and U+FE0F choose how the sign before them looks. */
const joiners = new Set(['\u200C', '\u200D'])
const inWriting = new Set([...joiners, '\uFE0E', '\uFE0F'])

/**
 * A text of a stranger as a model gets it: what a person would not see is written as an escape of JSON, so that it cannot
 * carry words that only the model reads. JSON stays the same JSON. Joiners and selectors that scripts and emojis need are
 * left where they stand alone beside a sign.
 */
export function visible(text: string): string {
  if (usual.test(text)) return text
  return text.replaceAll(unseen, (sign: string, at: number) =>
    lineBreaks.has(sign) || (inWriting.has(sign) && isInWriting(text, at)) ? sign : escaped(sign),
  )
}

function isInWriting(text: string, at: number): boolean {
  // An emoji may have a selector of its own before the joiner.
  const before = joiners.has(text[at] ?? '') && text[at - 1] === '\uFE0F' ? at - 2 : at - 1
  const after = text.codePointAt(at + 1)
  const followed = after === undefined || !isUnseen(String.fromCodePoint(after)) || joiners.has(text[at + 1] ?? '')
  return text.charCodeAt(before) > 0x7f && !isUnseen(text[before] ?? '') && followed
}

const one = new RegExp(unseen.source, 'u')
const isUnseen = (sign: string): boolean => one.test(sign)

const escaped = (sign: string): string =>
  Array.from({ length: sign.length }, (_, index) => `\\u${sign.charCodeAt(index).toString(16).padStart(4, '0')}`).join(
    '',
  )
