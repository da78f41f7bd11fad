import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The content of a file, or undefined if it does not exist. */
export function ifExists<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    // ESRCH: the process that /proc describes ended between opening and reading.
    if (['ENOENT', 'ESRCH'].includes(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}

export const textIfExists = (file: string): string | undefined => ifExists(() => readFileSync(file, 'utf8'))

/** Writes a temporary file and renames it, so that a reader finds the old content or the new, never a part. */
export function replaceFile(file: string, content: string, mode: number): void {
  const unfinished = `${file}.${randomUUID()}.tmp`
  writeFileSync(unfinished, content, { mode, flag: 'wx', flush: true })
  renameSync(unfinished, file)
}
