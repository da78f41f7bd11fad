import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How long the process of one file of tests lived, and what it had of the processor, in seconds. */
export interface Duration {
  file: string
  seconds: number
  /** Of the process itself, without what it started and without the servers. */
  cpuSeconds: number
}

/** Written by each process as it ends: a line is short enough to be appended whole. */
export const noteDuration = (log: string, { file, seconds, cpuSeconds }: Duration): void =>
  appendFileSync(log, `${seconds.toFixed(1)} ${cpuSeconds.toFixed(1)} ${file}\n`)

/** The files that took longest, the longest first. */
export function slowest(log: string, count: number): Duration[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').matchAll(/^(\S+) (\S+) (.+)$/gm)
  const all = [...lines].map(([, seconds, cpu, file = '']) => ({
    file,
    seconds: Number(seconds),
    cpuSeconds: Number(cpu),
  }))
  return all.toSorted((one, other) => other.seconds - one.seconds).slice(0, count)
}
