import { jsonDepth, parseJson } from './json.ts'

/** The members of a JSON object with their kinds and without their contents, or why the text is none. */
export type Outline = { members: Record<string, unknown> } | { problem: string; path?: string }

/** More members than any schema has: those beyond are left out, and the schema refuses what it does not know among these. */
const mostMembers = 100

/**
 * What a schema of members has to know of a large body: objects and lists are empty, and texts cut to one character, so
 * that a thread can hand it over at no cost. Numbers of any size are allowed.
 */
export const outlineOf = (text: string): Outline => outlined(text, emptied)

/** The first members of the object in the text, each as `show` hands it over. */
export function outlined(
  text: string,
  show: (member: unknown, name: string) => unknown,
  { first = [], maxDepth = jsonDepth }: { first?: readonly string[]; maxDepth?: number } = {},
): Outline {
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

/** A value of the same kind that is small. */
export function emptied(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, 1)
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}
