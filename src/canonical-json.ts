import { createHash } from 'node:crypto'

/**
 * The canonical text of a JSON value: members sorted by name, no spaces. Recursive: only for values of a checked depth.
 *
 * Not `canonicalize` (RFC 8785), which throws for Infinity: JavaScript reads a manifest's `1e400` as Infinity.
 */
export function canonicalJson(value: unknown): string {
  return canonical(value, canonicalJson)
}

/**
 * A `canonicalJson` that remembers the texts of all parts, for comparisons of nested values part by part. Without it,
 * inner parts are written again for each level around them. The values must not change.
 */
export function rememberingCanonicalJson(): (value: unknown) => string {
  const texts = new WeakMap<object, string>()
  return function write(value: unknown): string {
    if (typeof value !== 'object' || value === null) return canonical(value, write)
    const text = texts.get(value) ?? canonical(value, write)
    texts.set(value, text)
    return text
  }
}

function canonical(value: unknown, write: (inner: unknown) => string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((item) => write(item)).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`
}

export const isSameJson = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/** SHA-256 of the canonical text, in hex: 64 characters that identify a JSON document. */
export const jsonFingerprint = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex')
