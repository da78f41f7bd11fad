import { entities } from './entities.ts'

/** What an escape, or a sign by itself, stands for. */
export interface Read {
  /** The unit, or `unseen`. */
  unit: number
  /** How many units it takes in the text. */
  width: number
}

/** Reads what stands at a place, whose unit is known. */
export type Reader = (text: string, at: number, code: number) => Read

const backslash = 92
const percent = 37
const ampersand = 38
const equals = 61
/** The first unit of every tag character. */
const tagLead = 0xdb40
/** In place of what cannot be seen. */
export const unseen = -1

const skipped: Read = { unit: unseen, width: 1 }

const seen = (unit: number, width: number): Read => ({ unit: isUnseen(unit) ? unseen : unit, width })

/** The escapes of JSON, programs, Markdown, URLs and HTML, and tag characters. */
export function readEscaped(text: string, at: number, code: number): Read {
  if (code === backslash) return readBackslash(text, at)
  if (code === percent) return readPercent(text, at)
  if (code === ampersand) return readEntity(text, at)
  if (code === tagLead) return readTag(text, at)
  return isUnseen(code) ? skipped : { unit: code, width: 1 }
}

/** The same in quoted-printable (RFC 2045, section 6.7). Nothing else, or `?a=ab` would be something else. */
export function readPrintable(text: string, at: number, code: number): Read {
  if (code !== equals) return readEscaped(text, at, code)
  const unit = hexAt(text, at + 1, at + 3)
  if (unit !== undefined) return seen(unit, 3)
  // The end of the line is not seen anyway.
  return lineEnd.test(text.slice(at + 1, at + 4)) ? skipped : { unit: equals, width: 1 }
}

const lineEnd = /^[ \t]?(?:[\r\n]|\\[rn])/

/** Whether a text may be written in quoted-printable. */
export const isPrintable = (text: string): boolean => /=(?:[\da-f]{2}|[ \t]?(?:[\r\n]|\\[rn]))/i.test(text)

/** Of a string in JSON alone (RFC 8259, section 7). */
export function readPlain(text: string, at: number, code: number): Read {
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

/** JSON in JSON has one backslash, three or seven before what it escapes. The number is even, so that it tells of quotes. */
const mostBackslashes = 16

/** However often it was escaped: `\/`, `\u002f`, `\x2f`, `\057`, `\\/`. A backslash before punctuation is Markdown's, too. */
function readBackslash(text: string, at: number): Read {
  let last = at
  while (last - at < mostBackslashes - 1 && text.charCodeAt(last + 1) === backslash) last += 1
  const next = text[last + 1] ?? ''
  const code = codeAt(text, last + 1, next)
  if (code) return seen(code.unit, last + 1 + code.width - at)
  if (whiteEscapes.has(next) || next === '\n' || next === '\r') return { unit: unseen, width: last + 2 - at }
  // An even number of backslashes before a quote are none of its own: in JSON it ends the string.
  const isOwn = next === '"' ? (last - at) % 2 === 0 : punctuation.has(next)
  return isOwn ? { unit: next.charCodeAt(0), width: last + 2 - at } : { unit: backslash, width: last + 1 - at }
}

const punctuation = new Set('!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~')

/** A code in hex or octal. */
function codeAt(text: string, at: number, next: string): Read | undefined {
  const width = next === 'u' ? 5 : next === 'x' ? 3 : 0
  const unit = width > 0 ? hexAt(text, at + 1, at + width) : undefined
  if (unit !== undefined) return { unit, width }
  if (next < '0' || next > '3') return undefined
  const octal = text.slice(at, at + 3)
  return /^[0-3][0-7]{2}$/.test(octal) ? { unit: Number.parseInt(octal, 8), width: 3 } : undefined
}

const mostTimes = 10

/** However often it was encoded: `%2B`, `%252B`. */
function readPercent(text: string, at: number): Read {
  let digits = at + 1
  const most = digits + 2 * mostTimes
  while (digits < most && text.charCodeAt(digits) === 50 && text.charCodeAt(digits + 1) === 53) digits += 2
  const unit = hexAt(text, digits, digits + 2)
  return unit === undefined ? { unit: percent, width: digits - at } : seen(unit, digits + 2 - at)
}

const entity = /&(?:#(\d{1,20})|#[xX]([\da-fA-F]{1,20})|([a-zA-Z]{2,20}));/y

function readEntity(text: string, at: number): Read {
  entity.lastIndex = at
  const [whole = '', decimal, hex, name = ''] = entity.exec(text) ?? []
  const unit = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : entities.get(name)
  return unit === undefined || unit > 0xffff ? { unit: ampersand, width: 1 } : seen(unit, whole.length)
}

/** U+E0000 to U+E007F stand for ASCII and are shown by nothing. */
function readTag(text: string, at: number): Read {
  const low = text.charCodeAt(at + 1)
  if (low >= 0xdc20 && low < 0xdc7f) return { unit: low - 0xdc00, width: 2 }
  return { unit: tagLead, width: 1 }
}

/** No escape is longer, so no more than this is looked at. */
const longestEscape = 32
const incomplete =
  /(?:\\{1,16}(?:u[\da-f]{0,3}|x[\da-f]?|[0-3][0-7]?)?|%(?:25){0,10}[\da-f]?|&(?:#x?[\da-f]{0,20}|[a-z]{0,20})|=[\da-f]?|=[ \t]?\\?|\udb40)$/i

/** Where an escape begins that more text would complete; else the length of the text. */
export function incompleteAt(text: string): number {
  const found = incomplete.exec(text.slice(-longestEscape))
  return text.length - (found?.[0].length ?? 0)
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

/** White space, controls, and characters of no width. */
function isUnseen(code: number): boolean {
  if (code <= 32 || (code >= 0x7f && code <= 0xa0)) return true
  if (code >= 0x2000 && code <= 0x206f) return code >= 0x2060 || code <= 0x200f || (code >= 0x2028 && code <= 0x202f)
  return code === 0xad || code === 0x34f || code === 0x180e || code === 0xfeff
}

const signs = new Set([backslash, percent, ampersand, equals, tagLead])

/** By code: whether a unit may be more than itself. */
export const special = Uint8Array.from({ length: 0x1_0000 }, (_, code) => Number(signs.has(code) || isUnseen(code)))
