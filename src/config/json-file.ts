import { readFileSync } from 'node:fs'
import { placeOfSyntaxError } from './syntax-error-place.ts'

/** The JSON in a file that a setting names, or the problem as the end of a sentence. The content is never quoted. */
export function readJsonFile(path: string): { value: unknown } | { problem: string } {
  if (/^\s*[[{]/.test(path)) return { problem: "must be a file path, not the file's content" }
  try {
    // Some editors write a byte order mark.
    return parseText(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''), path)
  } catch (error) {
    return { problem: `names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

function parseText(text: string, path: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    const { line, column } = placeOfSyntaxError(text)
    return { problem: `names ${path}, which is not valid JSON (line ${line}, column ${column})` }
  }
}
