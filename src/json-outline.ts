import { decodeUtf8, jsonDepth, parseJson } from './json.ts'

/** The members of a JSON object with their kinds but without contents, or the problem. */
export type Outline = { members: Record<string, unknown> } | { problem: string; path?: string }

/** What is said about a body that cannot be decoded. */
export const noText = 'The body is not valid UTF-8.'

/** More members than any schema has. Later ones are omitted; the schema refuses unknown ones among the first. */
const mostMembers = 100

/**
 * The part of a large body that a schema of members must see: objects and lists are emptied, and texts cut to one
 * character, so a thread can return it at no cost. Numbers of any size are allowed. A thread gets bytes, because decoding
 * a long text holds the event loop up.
 */
export const outlineOf = (bytes: Uint8Array): Outline => outlined(bytes, emptied)

/** The first members of the object in a JSON text, each as `show` returns it. */
export function outlined(
  bytes: Uint8Array,
  show: (member: unknown, name: string) => unknown,
  { first = [], maxDepth = jsonDepth }: { first?: readonly string[]; maxDepth?: number } = {},
): Outline {
  const text = decodeUtf8(bytes)
  if (text === undefined) return { problem: noText }
  const parsed = parseJson(text, { maxDepth })
  if (!parsed.ok) return { problem: parsed.problem, path: parsed.path }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'The body must be a JSON object.' }
  const members = value as Record<string, unknown>
  const names = [...first.filter((name) => Object.hasOwn(members, name)), ...someOf(members)]
  return { members: Object.fromEntries(names.map((name) => [name, show(members[name], name)])) }
}

function* someOf(members: object): Generator<string> {
  let count = 0
  for (const name in members) {
    if (count === mostMembers) return
    count += 1
    yield name
  }
}

/** A small value of the same kind. */
export function emptied(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, 1)
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}
