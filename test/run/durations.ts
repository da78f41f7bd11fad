import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How long the process of one file of tests lived, in seconds. */
interface Duration {
  file: string
  seconds: number
}

/** Written by each process as it ends: a line is short enough to be appended whole. */
export const noteDuration = (log: string, { file, seconds }: Duration): void =>
  appendFileSync(log, `${seconds.toFixed(1)} ${file}\n`)

/** The files that took longest, the longest first. */
export function slowest(log: string, count: number): Duration[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const all = lines.map((line) => ({ seconds: Number(line.split(' ', 1)[0]), file: line.slice(line.indexOf(' ') + 1) }))
  return all.toSorted((one, other) => other.seconds - one.seconds).slice(0, count)
}
