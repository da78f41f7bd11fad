import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** Makes a group with this limit in bytes. Undefined if this machine does not let us. */
export function memoryGroup(name: string, limit: number): MemoryGroup | undefined {
  for (const version of versions) {
    const folder = join(version.at, `switchyard-image-${process.pid}-${name}`)
    if (!existsSync(version.at)) continue
    try {
      mkdirSync(folder)
    } catch {
      continue
    }
    if (!existsSync(join(folder, version.limit))) {
      rmdirSync(folder)
      continue
    }
    writeFileSync(join(folder, version.limit), String(limit))
    return {
      joinFile: join(folder, 'cgroup.procs'),
      peak: () => Number(readFileSync(join(folder, version.peak), 'utf8')),
      remove: () => rmdirSync(folder),
    }
  }
  return undefined
}
