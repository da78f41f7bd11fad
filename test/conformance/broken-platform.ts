import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An edit of the one file of a folder that has the text; the files may be renamed. */
interface Edit {
  folder: string
  /** The text that is replaced; it must occur exactly once in the folder. */
  find: string
  replace: string
}

/** A platform that does one thing wrong, and the rows of `npm run conformance` that must find it. */
export interface BrokenPlatform {
  id: string
  edits: Edit[]
  /** The rows that are tried; each of them must fail. */
  rows: string[]
  /** By row: a part of what it must say, so that it has failed for the right reason. */
  evidence?: Record<string, string>
}

/** `rows`: the rows alone, or with a part of their evidence. */
export const broken = (id: string, rows: string[] | Record<string, string>, ...edits: Edit[]): BrokenPlatform =>
  Array.isArray(rows) ? { id, rows, edits } : { id, rows: Object.keys(rows), evidence: rows, edits }
export const edit = (folder: string, find: string, replace: string): Edit => ({ folder, find, replace })

/** Finds the file of an edit, and says what it has before and after. Throws if the text occurs nowhere, or twice. */
export function made(root: string, { folder, find, replace }: Edit): { path: string; before: string; after: string } {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const files = names.map((name) => join(root, folder, name)).map((path) => [path, readFileSync(path, 'utf8')] as const)
  const found = files.filter(([, text]) => text.includes(find))
  const [[path, before] = ['', ''], ...others] = found
  const parts = before.split(find)
  if (parts.length !== 2 || others.length > 0) throw new Error(`not once in ${folder}: ${find}`)
  if (find === replace) throw new Error(`the edit changes nothing: ${find}`)
  return { path, before, after: parts.join(replace) }
}
