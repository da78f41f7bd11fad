import { memberOf } from './schema-keywords.ts'

/** The value at a JSON pointer (RFC 6901, 6) in its fragment form, without the `#`; undefined if there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const token of pointer.split('/').slice(1)) {
    const name = unescaped(token)
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : memberOf(value, name)
  }
  return value
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return token
  }
}
