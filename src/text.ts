/* Texts of strangers: what of them Postgres can keep, and their beginnings. No character is cut into halves. */

/** Whether Postgres can keep the text: no U+0000 and no half of a surrogate pair (its text type refuses both). */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The text with U+FFFD for each character that Postgres cannot keep. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The first UTF-16 units of a text, of which the last may become U+FFFD. */
export const beginningOf = (text: string, units: number): string => text.slice(0, units).toWellFormed()

/** The text, or so many UTF-16 units of it and the mark that something is missing. */
export const shortened = (text: string, units: number): string =>
  text.length > units ? `${beginningOf(text, units)}…` : text

/** As much of a text as has so many bytes in UTF-8: a byte 10xxxxxx continues the character before it (RFC 3629, 3). */
export function firstBytes(text: string, most: number): Buffer {
  // One unit more than could fit, so that the last character inside is whole.
  const bytes = Buffer.from(text.slice(0, most + 1))
  let end = Math.min(most, bytes.length)
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return bytes.subarray(0, end)
}
