import { isObject, parseJson } from '../../json.ts'

/** The members of a token answer. `instead` describes an unreadable body as the end of a sentence. */
type Read = { members: Record<string, unknown> } | { instead: string }

/**
 * Reads the body of a token answer and ignores its content type: JSON (RFC 6749, 5.1), JSON inside a JSON string or a
 * list of one, or a form, which is never valid JSON. Invalid UTF-8 may occur in members that are not needed, because
 * tokens are ASCII.
 */
export function membersIn(bytes: Uint8Array): Read {
  const text = decoded(bytes).trim()
  if (text === '') return { instead: 'empty' }
  const parsed = parseJson(text, { maxDepth: Infinity })
  if (parsed.ok) return objectIn(unwrapped(parsed.value))
  if (/^[\w.-]+=[^\s<>{}"]*$/.test(text)) return { members: Object.fromEntries(new URLSearchParams(text)) }
  return { instead: text.startsWith('<') ? 'HTML or XML' : 'not JSON' }
}

/** Decodes by the byte order mark and drops it. */
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

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : 'a string'
  return { object: 'an object', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'missing'
}
