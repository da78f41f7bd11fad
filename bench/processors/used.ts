import { readdirSync } from 'node:fs'
import { textIfExists } from '../../bin/local/write-file.ts'

/** Linux counts processor time in hundredths of a second, whatever the kernel's own clock is. */
const tickMs = 10

interface Stat {
  parent: number
  /** Processor time of the process, and of its children that have ended. */
  ms: number
}

function statOf(pid: number): Stat | undefined {
  const text = textIfExists(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The name, in brackets, may contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0)
  return { parent: fields[1] ?? 0, ms: ticks * tickMs }
}

/** The processor time in milliseconds of a process and everything that it has started. */
export const usedMs = (pid: number): number => family(pid).reduce((sum, each) => sum + (statOf(each)?.ms ?? 0), 0)

/** The memory in MB of a process and its children. Pages that several of them share count once. */
export function sharedMb(pid: number): number {
  const kib = family(pid).map((each) => {
    const [, pss] = /^Pss:\s+(\d+) kB/m.exec(textIfExists(`/proc/${each}/smaps_rollup`) ?? '') ?? []
    return Number(pss ?? 0)
  })
  return (kib.reduce((sum, each) => sum + each, 0) * 1024) / 1e6
}

function family(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const children = pids.filter((each) => statOf(each)?.parent === pid)
  return [pid, ...children.flatMap(family)]
}
