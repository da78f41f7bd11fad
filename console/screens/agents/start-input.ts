import { parseExactly } from '../../api/exact-json.ts'

/** The body that starts a run: a JSON object as such, anything else as words, and nothing without a text. */
export function startBody(text: string): { input?: unknown } {
  const trimmed = text.trim()
  if (trimmed === '') return {}
  try {
    const value = parseExactly(trimmed)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { input: value }
  } catch {
    // Words.
  }
  return { input: text }
}
