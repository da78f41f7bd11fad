const usual = /^[\t\n\r -~]*$/

/** A run of invisible characters: controls, zero-width and direction marks, tags, variation selectors. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu

const lineBreaks = codesOf('\t\n\r')
/** U+200C and U+200D join letters and emojis. U+FE0E and U+FE0F choose how the previous character looks. */
const joiners = codesOf('\u200C\u200D')
const inWriting = codesOf('\u200C\u200D\uFE0E\uFE0F')
const emojiSelector = 0xfe0f

function codesOf(signs: string): Set<number> {
  return new Set(Array.from(signs, (sign) => sign.charCodeAt(0)))
}

/**
 * A stranger's text in the form that a model reads. Invisible characters become JSON escapes, so they cannot carry
 * words that only the model reads. Joiners and selectors that scripts and emojis need stay.
 */
export function visible(text: string): string {
  if (usual.test(text)) return text
  return text.replaceAll(unseen, (run: string, at: number) => written(run, text.charCodeAt(at - 1) > 0x7f))
}

/**
 * Iterates by index, because a text may consist of such characters alone.
 *
 * @param follows whether a character beyond ASCII precedes the run
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

/** Whether visible characters surround the run. More joiners may follow. */
function isInWriting(run: string, at: number, follows: boolean): boolean {
  // An emoji may have its own selector before the joiner.
  const isSelected = joiners.has(run.charCodeAt(at)) && run.charCodeAt(at - 1) === emojiSelector
  const before = isSelected ? at - 2 : at - 1
  const isBeside = before < 0 ? follows : isHalf(run.charCodeAt(before))
  return isBeside && (at + 1 === run.length || joiners.has(run.charCodeAt(at + 1)))
}

/** The second half of a tag or selector beyond U+FFFF counts as a character. */
const isHalf = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** Cached by code, because there are few. */
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
