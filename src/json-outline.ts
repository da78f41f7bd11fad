import { parseJson } from './json.ts'

/** The members of a JSON object with their kinds and without their contents, or why the text is none. */
export type Outline = { members: Record<string, unknown> } | { problem: string; path?: string }

/**
 * What a schema of members has to know of a large body: objects and lists are empty, and texts cut to one character, so
 * that a thread can hand it over at no cost. Numbers of any size are allowed.
 */
export function outlineOf(text: string): Outline {
  const parsed = parseJson(text, { maxDepth: 100 })
  if (!parsed.ok) return { problem: parsed.problem, ...(parsed.path !== undefined && { path: parsed.path }) }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'The body must be a JSON object.' }
  return { members: Object.fromEntries(Object.entries(value).map(([name, member]) => [name, emptied(member)])) }
}

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, 1)
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}
