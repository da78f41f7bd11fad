import { execFileSync } from 'node:child_process'
import { textIfExists } from './write-file.ts'

/** Identifies a process, even if a later process gets the same number. */
export interface ProcessMark {
  pid: number
  /** Its start time in the system's format, used only for comparison. */
  started: string
}

/** The mark of a running process, or undefined if no process has this number. */
export function markOf(pid: number): ProcessMark | undefined {
  const started = process.platform === 'linux' ? startOnLinux(pid) : ps(pid, 'lstart=,command=')
  return started === undefined ? undefined : { pid, started }
}

/** Whether the marked process still runs. A later process with the same number does not count. */
export function isRunning(mark: ProcessMark): boolean {
  return markOf(mark.pid)?.started === mark.started
}

/** The command line of a running process, or an empty text. */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command=') ?? ''
  return (textIfExists(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ')
}

/** The start time in ticks since boot, with the boot id, because ticks repeat after a reboot. */
function startOnLinux(pid: number): string | undefined {
  const ticks = startInStat(textIfExists(`/proc/${pid}/stat`) ?? '')
  return ticks && `${textIfExists('/proc/sys/kernel/random/boot_id')?.trim()}/${ticks}`
}

/**
 * Field 22 of a process's line (proc(5)), or undefined if it has ended. A process whose first thread is gone (state Z)
 * keeps its ports while it has other threads.
 */
export function startInStat(stat: string): string | undefined {
  // The name in parentheses, the second field, may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, threads, start] = [fields[0], fields[17], fields[19]]
  return state === 'Z' && Number(threads) <= 1 ? undefined : start
}

function ps(pid: number, columns: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch (error) {
    // ps exits with 1 if there is no such process.
    if ((error as { status?: unknown }).status === 1) return undefined
    throw error
  }
}
