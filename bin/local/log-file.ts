import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Each program has at most two files of this size. */
const maxBytes = 10 * 1024 * 1024

/** A program's output on disk, kept across starts: the current file and the previous one (`.1`). */
export function createLogFile(folder: string, name: string) {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.log`)
  const recent: string[] = []
  let file = open(path)
  let bytes = 0
  return {
    path,
    write(line: string) {
      recent.push(line)
      if (recent.length > 5) recent.shift()
      bytes += writeSync(file, `${line}\n`)
      if (bytes < maxBytes) return
      closeSync(file)
      file = open(path)
      bytes = 0
    },
    /** The last five lines, shown after the program ended. */
    recent: () => [...recent],
    close: () => closeSync(file),
  }
}

function open(path: string): number {
  if (existsSync(path)) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
