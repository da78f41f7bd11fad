import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ifExists } from '../local/write-file.ts'

/** A control group of Linux whose processes share a limit of memory. */
export interface MemoryGroup {
  /** A process joins by writing 0 to this file. */
  joinFile: string
  /** Bytes at the highest, with the files that the kernel keeps for it. */
  peak(): number
  /** Possible once its processes have ended. */
  remove(): void
}

const versions = [
  { at: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { at: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
]

/**
 * Makes a group with this limit in bytes, named after the check's folder. Undefined if this machine has no control groups
 * for memory, or lets nobody write there.
 */
export function memoryGroup(work: string, name: string, limit: number): MemoryGroup | undefined {
  for (const version of versions) {
    const folder = join(version.at, `${basename(work)}-${name}`)
    if (!makeGroup(folder, version.limit)) continue
    writeFileSync(join(folder, version.limit), String(limit))
    return {
      joinFile: join(folder, 'cgroup.procs'),
      peak: () => Number(readFileSync(join(folder, version.peak), 'utf8')),
      remove: () => rmdirSync(folder),
    }
  }
  return undefined
}

/** Removes what an interrupted check has left. Its processes have ended. */
export function removeMemoryGroups(work: string): void {
  for (const { at } of versions)
    for (const name of ifExists(() => readdirSync(at)) ?? [])
      if (name.startsWith(`${basename(work)}-`)) rmdirSync(join(at, name))
}

/** Whether there is a new group that has a limit of memory. */
function makeGroup(folder: string, limit: string): boolean {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'EROFS', 'EACCES', 'EPERM'].includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
  if (existsSync(join(folder, limit))) return true
  rmdirSync(folder)
  return false
}
