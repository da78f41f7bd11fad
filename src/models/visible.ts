/** A usual text, in which nothing is hidden. */
const usual = /^[\t\n\r -~]*$/

/** What nobody sees, as long as it continues: controls, signs of no width or of direction, tags, selectors of variants. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu

const lineBreaks = codesOf('\t\n\r')
/** U+200C and U+200D join letters and emojis; U+FE0E and U+FE0F choose how the sign before them looks. */
const joiners = codesOf('\u200C\u200D')
const inWriting = codesOf('\u200C\u200D\uFE0E\uFE0F')
const emojiSelector = 0xfe0f

function codesOf(signs: string): Set<number> {
  return new Set(Array.from(signs, (sign) => sign.charCodeAt(0)))
}

/**
 * A text of a stranger as a model gets it: what a person would not see is written as an escape of JSON, so that it cannot
 * carry words that only the model reads. JSON stays the same JSON. Joiners and selectors that scripts and emojis need are
 * left where they stand alone beside a sign.
 */
export function visible(text: string): string {
  if (usual.test(text)) return text
  return text.replaceAll(unseen, (run: string, at: number) => written(run, text.charCodeAt(at - 1) > 0x7f))
}

/**
 * By number, because a text may be made of such signs alone.
 *
 * @param follows whether a sign beyond ASCII stands before the run
 */
function written(run: string, follows: boolean): string {
  let result = ''
  for (let at = 0; at < run.length;) {
    const code = run.codePointAt(at) ?? 0
    const isSeen = lineBreaks.has(code) || (inWriting.has(code) && isInWriting(run, at, follows))
    result += isSeen ? String.fromCharCode(code) : escaped(code)
    at += code > 0xffff ? 2 : 1
  }
  return result
}

/** What stands around the run can be seen; of what is in it, joiners can follow. */
function isInWriting(run: string, at: number, follows: boolean): boolean {
  // An emoji may have a selector of its own before the joiner.
  const isSelected = joiners.has(run.charCodeAt(at)) && run.charCodeAt(at - 1) === emojiSelector
  const before = isSelected ? at - 2 : at - 1
  const isBeside = before < 0 ? follows : isHalf(run.charCodeAt(before))
  return isBeside && (at + 1 === run.length || joiners.has(run.charCodeAt(at + 1)))
}

/** The second half of a tag or selector beyond U+FFFF passes for a sign. */
const isHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** By code: there are few. */
const escapes = new Map<number, string>()

function escaped(code: number): string {
  const known = escapes.get(code)
  if (known !== undefined) return known
  const sign = String.fromCodePoint(code)
  const units = Array.from({ length: sign.length }, (_, index) => sign.charCodeAt(index))
  const escape = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  escapes.set(code, escape)
  return escape
}
