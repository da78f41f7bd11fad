import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning, markOf, type ProcessMark } from './process-identity.ts'
import { ifExists, textIfExists } from './write-file.ts'

/**
 * Takes a lock file for this process. Returns undefined on success, otherwise the holder of the lock. The lock of a
 * dead holder is taken over. `releaseLock` or the end of the process releases it.
 */
export function takeLock(file: string): ProcessMark | undefined {
  const own = `${file}.${process.pid}`
  writeFileSync(own, JSON.stringify(markOf(process.pid)))
  try {
    for (;;) {
      // A hard link appears atomically with its content, and fails if the name is taken.
      if (link(own, file)) return undefined
      const holder = readHolder(file)
      if (holder && isRunning(holder)) return holder
      if (holder) setAside(file, holder)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** The running process that holds the lock. */
export function lockHolder(file: string): ProcessMark | undefined {
  const holder = readHolder(file)
  return holder && isRunning(holder) ? holder : undefined
}

export function releaseLock(file: string): void {
  if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true })
}

/** Runs the work under the lock, after waiting for another holder. `onWait` is called once. */
export async function underLock<T>(file: string, onWait: (holder: ProcessMark) => void, work: () => Promise<T>) {
  for (let isWaiting = false; ; isWaiting = true) {
    const holder = takeLock(file)
    if (!holder) break
    if (!isWaiting) onWait(holder)
    await wait(500)
  }
  try {
    return await work()
  } finally {
    releaseLock(file)
  }
}

/** Moves a dead holder's lock away. If another process took the name meanwhile, restores its lock. */
function setAside(file: string, dead: ProcessMark): void {
  const aside = `${file}.dead.${process.pid}`
  ifExists(() => renameSync(file, aside))
  const moved = readHolder(aside)
  if (moved && moved.started !== dead.started) link(aside, file)
  rmSync(aside, { force: true })
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false
    throw error
  }
}

function readHolder(file: string): ProcessMark | undefined {
  const text = textIfExists(file)
  return text ? (JSON.parse(text) as ProcessMark) : undefined
}
