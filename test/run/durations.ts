import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How long a test file took. */
export interface Duration {
  file: string
  seconds: number
}

/** Appends a line, short enough to be written atomically. Does nothing without a log. */
export function noteDuration(log: string | undefined, { file, seconds }: Duration): void {
  if (log !== undefined) appendFileSync(log, `${seconds.toFixed(1)} ${file}\n`)
}

/** The files that took longest, the longest first. */
export function slowest(log: string, count: number): Duration[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').matchAll(/^(\S+) (.+)$/gm)
  const all = [...lines].map(([, seconds, file = '']) => ({ file, seconds: Number(seconds) }))
  return all.toSorted((one, other) => other.seconds - one.seconds).slice(0, count)
}
