import { isPrintable, readEscaped, readPlain, readPrintable, special, unseen, type Reader } from './escapes.ts'
import { barrier, unitsOf, type Span } from './units.ts'

/** A text as it reads once its escapes are undone, with the way back to the text as it is written. */
export interface Decoded {
  units: Uint16Array
  /** The place in the written text of what was found in the units. */
  written: (span: Span) => Span
  /** Where in the written text a unit begins; after the last one its length. */
  startOf: (index: number) => number
  /** How many of the units begin before this place in the written text. */
  indexOf: (place: number) => number
}

const quote = 34

/** All ways in which a text may be read; quoted-printable only if there is any of it. */
export function readingsOf(text: string): Decoded[] {
  const more = isPrintable(text) ? [decode(text, readPrintable, false)] : []
  return [asWritten(text), decode(text, readEscaped, false), ...more]
}

/** All ways in which the strings of JSON may be read, so that what is replaced in them leaves valid JSON. */
export function stringsOf(json: string): Decoded[] {
  const more = isPrintable(json) ? [decode(json, readPrintable, true)] : []
  return [decode(json, readPlain, true), decode(json, readEscaped, true), ...more]
}

const asWritten = (text: string): Decoded => ({
  units: unitsOf(text),
  written: (span) => span,
  startOf: (index) => index,
  indexOf: (place) => place,
})

/**
 * Undoes the escapes that the reader knows, turns tag characters into what they stand for, and leaves out what cannot be
 * seen: white space and zero-width characters, so that base64 in lines is found as well.
 *
 * @param inStrings whether only strings of JSON count
 */
export function decode(text: string, readAt: Reader = readEscaped, inStrings = false): Decoded {
  const given = unitsOf(text)
  const units = new Uint16Array(given.length)
  const starts = new Uint32Array(given.length)
  let [count, at, isInside] = [0, 0, !inStrings]
  const keep = (unit: number) => {
    units[count] = unit
    starts[count] = at
    count += 1
  }
  while (at < given.length) {
    const code = given[at] ?? 0
    let width = 1
    if (inStrings && code === quote) {
      isInside = !isInside
      keep(barrier)
    } else if (isInside && special[code] === 0) keep(code)
    else if (isInside) {
      const read = readAt(text, at, code)
      if (read.unit !== unseen) keep(read.unit)
      width = read.width
    }
    at += width
  }
  const endOf = (index: number): number => {
    const start = starts[index] ?? 0
    return start + readAt(text, start, given[start] ?? 0).width
  }
  return {
    units: units.subarray(0, count),
    written: ([from, to]) => [starts[from] ?? 0, endOf(to - 1)],
    indexOf: (place) => {
      let index = count
      while (index > 0 && (starts[index - 1] ?? 0) >= place) index -= 1
      return index
    },
    startOf: (index) => (index < count ? (starts[index] ?? 0) : text.length),
  }
}
