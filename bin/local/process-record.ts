import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning, markOf, type ProcessMark } from './process-identity.ts'

/** A process that must not outlive the program that started it. */
export interface RecordedProcess extends ProcessMark {
  name: string
  /** When it started, in ms since 1970. The last one started ends first. */
  at: number
  stopSignal: NodeJS.Signals
}

/**
 * Options of execa for a process on record. It has its own group, so Ctrl-C in the terminal reaches only this process,
 * which decides the order of stopping. Processes left behind are ended from the record. No exit code is an error.
 */
export const onRecord = { extendEnv: false, killDescendants: true, cleanup: false, reject: false } as const

export type ProcessRecord = ReturnType<typeof createProcessRecord>

/**
 * A folder with one small file per started process, so that the warden or the next start finds what was left, whatever
 * happened to the starter. One file each, because several processes write here in a test run.
 */
export function createProcessRecord(folder: string) {
  mkdirSync(folder, { recursive: true })
  const file = (pid: number) => join(folder, `${pid}.json`)
  return {
    folder,
    add(name: string, pid: number, stopSignal: NodeJS.Signals) {
      const mark = markOf(pid)
      if (!mark) return
      const record: RecordedProcess = { ...mark, name, at: Date.now(), stopSignal }
      writeFileSync(`${file(pid)}.new`, JSON.stringify(record))
      renameSync(`${file(pid)}.new`, file(pid))
    },
    remove(pid: number) {
      rmSync(file(pid), { force: true })
    },
  }
}

/**
 * Ends every recorded process that still runs, the newest first, and empties the record. Each has `seconds` to end by
 * itself before it is killed. Returns the names of the processes that still ran.
 */
export async function endRecorded(folder: string, seconds = 5): Promise<string[]> {
  const ended: string[] = []
  for (const one of readRecord(folder).toSorted((a, b) => b.at - a.at)) {
    if (isRunning(one)) {
      ended.push(one.name)
      await end(one, seconds)
    }
    rmSync(join(folder, `${one.pid}.json`), { force: true })
  }
  return ended
}

/** Signals the process and the group it leads. A process that has already ended is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, name)
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ESRCH') throw error
    }
  }
}

async function end(one: RecordedProcess, seconds: number): Promise<void> {
  signal(one.pid, one.stopSignal)
  const deadline = Date.now() + seconds * 1000
  while (isRunning(one) && Date.now() < deadline) await wait(50)
  if (!isRunning(one)) return
  signal(one.pid, 'SIGKILL')
  while (isRunning(one)) await wait(20)
}

function readRecord(folder: string): RecordedProcess[] {
  // A test run that ended has removed its folder.
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedProcess)
}
