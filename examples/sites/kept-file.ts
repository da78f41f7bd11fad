import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** A small value that outlives the process, if it has a file. */
export interface KeptFile<T> {
  /** The last saved value; undefined at the first start. */
  read: () => T | undefined
  keep: (value: T) => void
}

/**
 * Saves a value as JSON in a file that only our user may read. After a crash the file has the old value or the new
 * one, never a part. Without a path, nothing is saved. Your own site has a database.
 */
export function keptFile<T>(path: string | undefined): KeptFile<T> {
  if (path === undefined) return { read: () => undefined, keep: () => undefined }
  return {
    read: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined),
    keep(value) {
      writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
