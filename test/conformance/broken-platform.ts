/** An edit of one file. */
interface Edit {
  file: string
  /** The text that is replaced; it must occur exactly once in the file. */
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
export const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace })
