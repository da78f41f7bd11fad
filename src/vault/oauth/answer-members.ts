import { isObject, parseJson } from '../../json.ts'

/** The members of an answer of a token address, or what it is instead, as the end of a sentence. */
type Read = { members: Record<string, unknown> } | { instead: string }

/**
 * Reads the body of a token answer, whatever type it claims to have: JSON (RFC 6749, 5.1), JSON as a text or in a list of
 * one, or a form, which cannot be taken for JSON. Bytes that are no UTF-8 may stand in members that are not needed: a token
 * is ASCII.
 */
export function membersIn(bytes: Uint8Array): Read {
  const text = decoded(bytes).trim()
  if (text === '') return { instead: 'empty' }
  const parsed = parseJson(text, { maxDepth: Infinity })
  if (parsed.ok) return objectIn(unwrapped(parsed.value))
  if (/^[\w.-]+=[^\s<>{}"]*$/.test(text)) return { members: Object.fromEntries(new URLSearchParams(text)) }
  return { instead: text.startsWith('<') ? 'HTML or XML' : 'not JSON' }
}

/** A byte order mark says which encoding it is, and is no part of the text. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

function unwrapped(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 1) return value[0]
  if (typeof value !== 'string') return value
  const inner = parseJson(value, { maxDepth: Infinity })
  return inner.ok ? inner.value : value
}

const objectIn = (value: unknown): Read =>
  isObject(value) ? { members: value } : { instead: `${kindOf(value)} instead of an object` }

/** What a value is, in words for whoever sent it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : 'a string'
  return { object: 'an object', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'missing'
}
