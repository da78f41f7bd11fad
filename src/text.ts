/* Strangers' texts: the storable parts and their beginnings. No character is split. */

/** Whether Postgres can store the text: no U+0000 and no half of a surrogate pair (its text type refuses both). */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Replaces each character that Postgres cannot store by U+FFFD. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The first UTF-16 units of a text. The last may become U+FFFD. */
export const beginningOf = (text: string, units: number): string => text.slice(0, units).toWellFormed()

/** Cuts the text to this many UTF-16 units, and adds an ellipsis. */
export const shortened = (text: string, units: number): string =>
  text.length > units ? `${beginningOf(text, units)}…` : text

/**
 * The beginning of a text that fits into this many bytes of UTF-8. A byte 10xxxxxx continues the character before it
 * (RFC 3629, 3).
 */
export function firstBytes(text: string, most: number): Buffer {
  // One unit more than could fit, so the last character inside is whole.
  const bytes = Buffer.from(text.slice(0, most + 1))
  let end = Math.min(most, bytes.length)
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return bytes.subarray(0, end)
}
