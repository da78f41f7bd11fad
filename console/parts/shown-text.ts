/** The most that a page shows of a body. The rest can be downloaded. */
export const shownLength = 20_000

/**
 * Characters that a terminal or a browser would obey instead of showing them: control characters, and marks that change
 * the direction of text (Unicode, UAX 9).
 */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const obeyed = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** A stranger's text as it can be shown: what would be obeyed is written as its code. */
export const shownText = (text: string): string =>
  text.replaceAll(obeyed, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A value as text: JSON, or the text itself. Cut, so that a large body does not stop the page. */
export function shownValue(value: unknown): { text: string; whole: string; isCut: boolean } {
  const whole = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const isCut = whole.length > shownLength
  return { text: shownText(isCut ? whole.slice(0, shownLength).toWellFormed() : whole), whole, isCut }
}
