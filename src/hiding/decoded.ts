import { unitsOf, type Span } from './units.ts'

/** A text as it reads once its escapes are undone, with the way back to the text as it is written. */
export interface Decoded {
  units: Uint16Array
  /** The place in the written text of what was found in the units. */
  written: (span: Span) => Span
}

/** Is in no secret, so nothing is found across it. */
const barrier = 0xffff

/**
 * Undoes the escapes of JSON, URLs and HTML, turns tag characters into what they stand for, and leaves out what cannot
 * be seen: white space and zero-width characters, so that base64 in lines is found as well.
 *
 * @param inStrings whether only strings of JSON count, so that what is replaced there leaves valid JSON; `plain` undoes
 *   nothing but the escapes of the strings
 */
export function decode(text: string, inStrings: boolean | 'plain'): Decoded {
  const readAt = inStrings === 'plain' ? readPlain : readUnit
  const given = unitsOf(text)
  const units = new Uint16Array(given.length)
  const starts = new Uint32Array(given.length)
  let count = 0
  let isInside = inStrings === false
  for (let at = 0; at < given.length;) {
    const code = given[at] ?? 0
    const isBarrier = inStrings !== false && code === quote
    if (isBarrier) isInside = !isInside
    const isPlain = isInside && special[code] === 0
    const read = isPlain || isBarrier ? undefined : isInside ? readAt(text, at, code) : skipped
    const unit = read ? read.unit : isBarrier ? barrier : code
    if (unit !== unseen) {
      units[count] = unit
      starts[count] = at
      count += 1
    }
    at += read ? read.width : 1
  }
  const endOf = (index: number): number => {
    const start = starts[index] ?? 0
    return start + readAt(text, start, given[start] ?? 0).width
  }
  return {
    units: units.subarray(0, count),
    written: ([from, to]) => [starts[from] ?? 0, endOf(to - 1)],
  }
}

interface Read {
  /** What it stands for, or `unseen`. */
  unit: number
  /** How many units it takes in the text. */
  width: number
}

const quote = 34
const backslash = 92
const percent = 37
const ampersand = 38
/** The first unit of every tag character. */
const tagLead = 0xdb40
/** In place of what cannot be seen. */
const unseen = -1

const skipped: Read = { unit: unseen, width: 1 }

function readUnit(text: string, at: number, code: number): Read {
  if (code === backslash) return readEscape(text, at)
  if (code === percent) return readPercent(text, at)
  if (code === ampersand) return readEntity(text, at)
  if (code === tagLead) return readTag(text, at)
  return { unit: isUnseen(code) ? unseen : code, width: 1 }
}

/** Of a string in JSON (RFC 8259, section 7). */
function readPlain(text: string, at: number, code: number): Read {
  if (code !== backslash) return { unit: code, width: 1 }
  const next = text[at + 1] ?? ''
  if (next === 'u') return { unit: hexAt(text, at + 2, at + 6) ?? backslash, width: 6 }
  return { unit: (whiteEscapes.get(next) ?? next).charCodeAt(0), width: 2 }
}

const whiteEscapes = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
])

function readEscape(text: string, at: number): Read {
  const next = text[at + 1] ?? ''
  if (next === 'u' || next === 'x') {
    const width = next === 'u' ? 6 : 4
    const unit = hexAt(text, at + 2, at + width)
    if (unit !== undefined) return { unit: isUnseen(unit) ? unseen : unit, width }
  }
  if (whiteEscapes.has(next)) return { unit: unseen, width: 2 }
  if (next === '"' || next === '\\' || next === '/') return { unit: next.charCodeAt(0), width: 2 }
  return { unit: backslash, width: 1 }
}

/** However often it was encoded: `%2B`, `%252B`. */
function readPercent(text: string, at: number): Read {
  let digits = at + 1
  while (text.charCodeAt(digits) === 50 && text.charCodeAt(digits + 1) === 53) digits += 2
  const unit = hexAt(text, digits, digits + 2)
  if (unit === undefined) return { unit: percent, width: digits - at }
  return { unit: isUnseen(unit) ? unseen : unit, width: digits + 2 - at }
}

/** What an entity continues with: `#`, or the first letter of a name. */
const begins = new Set(Array.from('#algq', (sign) => sign.charCodeAt(0)))
const names: Record<string, number> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 }
const entity = /&(?:#(\d{1,5})|#[xX]([0-9a-fA-F]{1,4})|(amp|lt|gt|quot|apos));/y

function readEntity(text: string, at: number): Read {
  entity.lastIndex = at
  const [whole, decimal, hex, name] = (begins.has(text.charCodeAt(at + 1)) && entity.exec(text)) || []
  if (whole === undefined) return { unit: ampersand, width: 1 }
  const unit = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : (names[name ?? ''] ?? ampersand)
  return { unit, width: whole.length }
}

/** U+E0000 to U+E007F stand for ASCII and are shown by nothing. */
function readTag(text: string, at: number): Read {
  const low = text.charCodeAt(at + 1)
  if (low >= 0xdc20 && low < 0xdc7f) return { unit: low - 0xdc00, width: 2 }
  return { unit: tagLead, width: 1 }
}

function hexAt(text: string, from: number, to: number): number | undefined {
  let value = 0
  for (let at = from; at < to; at += 1) {
    const digit = hexDigit(text.charCodeAt(at))
    if (digit < 0) return undefined
    value = value * 16 + digit
  }
  return value
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** By code: whether a unit is more than itself. */
const special = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
  Number(code === backslash || code === percent || code === ampersand || code === tagLead || isUnseen(code)),
)

/** White space, controls, and characters of no width. */
function isUnseen(code: number): boolean {
  if (code <= 32 || (code >= 0x7f && code <= 0xa0)) return true
  if (code >= 0x2000 && code <= 0x206f) return code >= 0x2060 || code <= 0x200f || (code >= 0x2028 && code <= 0x202f)
  return code === 0xad || code === 0x34f || code === 0x180e || code === 0xfeff
}
