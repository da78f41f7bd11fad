import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
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

/** Removes what an interrupted check has left. Its processes have been killed. */
export async function removeMemoryGroups(work: string): Promise<void> {
  for (const { at } of versions)
    for (const name of ifExists(() => readdirSync(at)) ?? [])
      if (name.startsWith(`${basename(work)}-`)) await removeGroup(join(at, name))
}

/** The kernel takes a moment to end a process that has been killed, and gives its memory back. */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = 100; ; tries -= 1) {
    try {
      return rmdirSync(folder)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EBUSY' || tries === 0) throw error
    }
    await wait(100)
  }
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
