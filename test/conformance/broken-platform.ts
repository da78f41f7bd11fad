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
}

export const broken = (id: string, rows: string[], ...edits: Edit[]): BrokenPlatform => ({ id, rows, edits })
export const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace })
