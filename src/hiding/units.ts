/** Where something was found: from the first unit to the one after the last. */
export type Span = [from: number, to: number]

/** Is in no secret, so nothing is found across it. */
export const barrier = 0xffff

/** The units of a text in UTF-16. */
export function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le')
  // A small buffer shares its memory with others, and may begin at an odd place.
  const own = bytes.byteOffset % 2 === 0 ? bytes : Uint8Array.from(bytes)
  return new Uint16Array(own.buffer, own.byteOffset, text.length)
}

export const textOf = ({ buffer, byteOffset, byteLength }: Uint16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf16le')

/** The same for capitals and small letters. */
export const folded = (unit = 0): number => (unit >= 65 && unit <= 90 ? unit | 32 : unit)

/** What stands in the place of a secret. */
const replacement = '[token]'

/** The text with all of these places replaced; those that overlap are one. */
export function replaced(text: string, spans: Span[]): string {
  let [result, read] = ['', 0]
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    if (from >= read) result += text.slice(read, from) + replacement
    read = Math.max(read, to)
  }
  return spans.length === 0 ? text : result + text.slice(read)
}
