import type { ErrorDetail } from './errors.ts'
import { isStorable, shortened, storable } from './text.ts'

/** The maximum nesting of an honest document. Recursion over the value is safe up to it. */
export const jsonDepth = 100

interface JsonLimits {
  /** Levels of nested objects and arrays; 100 by default. */
  maxDepth?: number
  /** The most values, including nested ones; unlimited by default. */
  maxValues?: number
  /** Refuses values that JavaScript or Postgres would lose or change: see `lossyPlaces`. */
  exactNumbers?: boolean
}

/** The value, or a sentence about the problem with the dotted path of the place, if known. */
type ParsedJson = { ok: true; value: unknown } | { ok: false; problem: string; path: string; isTooDeep?: true }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of UTF-8 bytes without a leading byte order mark; undefined if they are not UTF-8 (RFC 8259, 8.1). */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Parses JSON from outside; never throws. Depth and values are counted in the text, before anything is built or
 * recurses. The last of duplicate members counts, as everywhere in JavaScript.
 */
export function parseJson(
  text: string,
  { maxDepth = jsonDepth, maxValues = Infinity, exactNumbers = false }: JsonLimits = {},
): ParsedJson {
  const { isDeeper, values } = measure(text, maxDepth)
  if (isDeeper) {
    return { ok: false, problem: `It must not be nested more than ${maxDepth} levels deep.`, path: '', isTooDeep: true }
  }
  if (values > maxValues) return failure(`It must have at most ${maxValues} values.`)
  const parsed = tryParse(text)
  return (parsed.ok && exactNumbers && lossIn(parsed.value)) || parsed
}

/** The first place of a parsed value that `lossyPlaces` finds, as a sentence; undefined if there is none. */
export function lossIn(value: unknown): { ok: false; problem: string; path: string } | undefined {
  if (isIntact(value)) return undefined
  const [lossy] = lossyPlaces(value)
  return lossy && failure(`${lossy.path === '' ? 'It' : `"${lossy.path}"`} ${lossy.message}.`, lossy.path)
}

function tryParse(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return failure('It is not valid JSON.')
  }
}

const failure = (problem: string, path = '') => ({ ok: false as const, problem, path })

const quote = 34
const backslash = 92

/**
 * Scans the text once, skipping strings: whether it is nested deeper than allowed, and its approximate number of
 * values. The parser decides whether it is JSON.
 */
function measure(text: string, maxDepth: number): { isDeeper: boolean; values: number } {
  let [depth, values] = [0, 1]
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === quote) i = endOfString(text, i + 1)
    else if (character === 44) values++
    else if (character === 91 || character === 123) {
      depth++
      values++
    } else if (character === 93 || character === 125) depth--
    if (depth > maxDepth) return { isDeeper: true, values }
  }
  return { isDeeper: false, values }
}

/** The end of the string whose content starts at `from`: its closing quote, or the end of the text. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end !== -1 && isEscaped(text, end, from)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** Whether an odd number of backslashes precedes the place, not counting those before `from`. */
function isEscaped(text: string, place: number, from: number): boolean {
  let start = place
  while (start > from && text.charCodeAt(start - 1) === backslash) start--
  return (place - start) % 2 === 1
}

interface LossyPlace extends ErrorDetail {
  kind: 'number' | 'text' | 'member'
}

/**
 * The places of a parsed value that would not survive: numbers beyond 2^53, texts and member names that Postgres cannot
 * store, and members named `__proto__`, which assignments lose. Recursive: only for values of a checked depth.
 */
export function* lossyPlaces(value: unknown, path = ''): Generator<LossyPlace> {
  if (typeof value === 'number' && !isExact(value)) {
    yield {
      kind: 'number',
      path,
      message: `is too large to store exactly (the limit is ${Number.MAX_SAFE_INTEGER}); send a smaller number, or a string if the field allows one`,
    }
  } else if (typeof value === 'string' && !isStorable(value)) {
    yield { kind: 'text', path, message: 'contains the character U+0000 or half of a surrogate pair' }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      // Most members are fine: paths and generators for them would cost ten times the check.
      if (isUsableName(key) && isFine(member)) continue
      yield* lossyMember(joinPath(path, key), key, member)
    }
  }
}

function* lossyMember(path: string, key: string, member: unknown): Generator<LossyPlace> {
  if (isUsableName(key)) yield* lossyPlaces(member, path)
  else yield { kind: 'member', path, message: 'is a member name that is not allowed' }
}

/** Whether a value has no such places, ten times as fast as finding them. */
function isIntact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || isFine(value)
  if (Array.isArray(value)) return value.every(isIntact)
  return Object.entries(value).every(([name, member]) => isUsableName(name) && isIntact(member))
}

const isUsableName = (name: string): boolean => name !== '__proto__' && isStorable(name)
const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER

const isFine = (value: unknown): boolean =>
  typeof value === 'number' ? isExact(value) : typeof value === 'string' ? isStorable(value) : typeof value !== 'object'

/** Extends a dotted path by one member. A stranger's member name is cut and cleaned for messages and logs. */
export function joinPath(path: string, key: string | number): string {
  const short = shortened(storable(String(key)), 100)
  return path === '' ? short : `${path}.${short}`
}

/** Whether the value is an object with members: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
