import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning, markOf, type ProcessMark } from './process-identity.ts'
import { ifExists, textIfExists } from './write-file.ts'

/** A process that must not outlive the program that started it. */
export interface RecordedProcess extends ProcessMark {
  name: string
  /** Its start time, in ms since 1970. The newest process ends first. */
  at: number
  stopSignal: NodeJS.Signals
}

export type ProcessRecord = ReturnType<typeof createProcessRecord>

/**
 * A folder with one small file per started process, from which the warden or the next start finds leftover processes.
 * Each process has its own file, because several processes write here in a test run.
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

/** Ends every recorded process that still runs, newest first, and empties the record. Returns their names. */
export async function endRecorded(folder: string): Promise<string[]> {
  const ended: string[] = []
  for (const one of recorded(folder).toReversed()) {
    if (isRunning(one)) {
      ended.push(one.name)
      await end(one)
    }
    rmSync(join(folder, `${one.pid}.json`), { force: true })
  }
  return ended
}

/** Signals the process and the group that it leads. A process that has already ended is no error. */
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

/** Asks a process to end, and after `seconds` kills it and the group that it leads. */
export async function end(one: Omit<RecordedProcess, 'name' | 'at'>, seconds = 5): Promise<void> {
  signal(one.pid, one.stopSignal)
  const deadline = Date.now() + seconds * 1000
  while (isRunning(one) && Date.now() < deadline) await wait(50)
  if (!isRunning(one)) return
  signal(one.pid, 'SIGKILL')
  while (isRunning(one)) await wait(20)
}

/** The processes on record, oldest first, without those removed meanwhile. */
export function recorded(folder: string): RecordedProcess[] {
  const names = ifExists(() => readdirSync(folder)) ?? []
  const texts = names.filter((name) => name.endsWith('.json')).map((name) => textIfExists(join(folder, name)))
  const found = texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as RecordedProcess]))
  return found.toSorted((a, b) => a.at - b.at)
}
