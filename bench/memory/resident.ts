import { execFileSync } from 'node:child_process'
import { textIfExists } from '../../bin/local/write-file.ts'
import { median } from '../shared/statistics.ts'

/** The resident memory of a process over some time, in MB. */
export interface Watched {
  /** The median of each minute, one sample a second; the last minute may be shorter. */
  minutes: number[]
  /** The most since the process started. Without /proc, the highest sample. */
  peak: number
}

/** Samples the resident memory of a process once a second while the work lasts. */
export async function watchMemory(pid: number, work: () => Promise<unknown>): Promise<Watched> {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(residentMb(pid)), 1000)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return { minutes: mediansOf(samples, 60), peak: kernelMb(pid, 'VmHWM') ?? Math.max(...samples) }
}

/** The median of each group of this many samples. */
export function mediansOf(samples: number[], size: number): number[] {
  const groups = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    samples.slice(index * size, (index + 1) * size),
  )
  return groups.map(median)
}

const residentMb = (pid: number): number =>
  kernelMb(pid, 'VmRSS') ?? inMb(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }))

/** What Linux says, or undefined on other systems. */
function kernelMb(pid: number, name: string): number | undefined {
  const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(textIfExists(`/proc/${pid}/status`) ?? '') ?? []
  return kib === undefined ? undefined : inMb(kib)
}

/** From KiB to a million bytes. */
const inMb = (kib: string): number => (Number(kib) * 1024) / 1e6
