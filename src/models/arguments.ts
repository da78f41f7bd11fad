import { isObject } from '../json.ts'
import { exactJson } from '../outputs/exact-json.ts'

/** Deeper arguments are refused, because later processing (JSON.stringify, validators) is recursive. */
export const maxDepth = 64
/** The size of the largest ordinary request body that the platform accepts. */
export const maxCharacters = 256 * 1024

/**
 * Reads the JSON text of a tool call's arguments. Undefined if it is not a JSON object, too deep or too long. An empty
 * text is an empty object, because many models write nothing for a tool without arguments.
 */
export function readArguments(text: string): Record<string, unknown> | undefined {
  if (text.length > maxCharacters) return undefined
  return text.trim() === '' ? {} : readObject(text)
}

/**
 * Unwraps an object that a model has wrapped: JSON in a JSON text, or a list of one object. Other texts stay unchanged.
 */
export function plainArguments(text: string): string {
  const inner = text.replace(/^\uFEFF/, '').trim()
  if (!/^["[]/.test(inner) || text.length > maxCharacters) return inner
  const value = parse(inner)
  if (typeof value === 'string') return isObject(parse(value)) ? value.trim() : inner
  const isOne = Array.isArray(value) && value.length === 1 && isObject(value[0])
  return isOne ? inner.slice(1, -1).trim() : inner
}

/**
 * The JSON text of an object without duplicate members: the last one stays, because that one is checked. A site's
 * parser may take the first. Nearly all texts stay unchanged.
 */
export const withoutTwins = (text: string): string =>
  namesIn(text) === countNames(JSON.parse(text)) ? text : exactJson(text)

function namesIn(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)) count += Number(colon !== '')
  return count
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce<number>((sum, item) => sum + countNames(item), own)
}

/** Reads the text of a JSON object of any size. Undefined for anything else, and above 64 levels. */
export function readObject(text: string): Record<string, unknown> | undefined {
  const value = parse(text)
  return isObject(value) && isShallow(value) ? value : undefined
}

/** The value of a JSON text, or undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Level by level, because recursion would fail at great depth. */
function isShallow(value: object): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return true
}
