import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { progressLog } from '../helpers/servers.ts'

/**
 * Records that a test, the loading of a file, or a file with its own process has started or ended. Written
 * immediately, because a crashed process can no longer report it. Does nothing without a log.
 */
export function noteProgress(what: 'begun' | 'ended', name: string, log = progressLog()): void {
  // A line is short enough to be appended atomically.
  if (log) appendFileSync(log, `${what} ${Date.now()} ${name.replaceAll('\n', ' ')}\n`)
}

interface Progress {
  /** Entries that have started and not ended, oldest first. */
  left: string[]
  /** Entries that have ended, slowest first. */
  slowest: { name: string; seconds: number }[]
}

export function readProgress(log: string): Progress {
  const begun = new Map<string, number>()
  const done: Progress['slowest'] = []
  const lines = existsSync(log) ? readFileSync(log, 'utf8').matchAll(/^(begun|ended) (\d+) (.+)$/gm) : []
  for (const [, what, at, name = ''] of lines) {
    if (what === 'begun') begun.set(name, Number(at))
    else done.push({ name, seconds: (Number(at) - (begun.get(name) ?? Number(at))) / 1000 })
    if (what === 'ended') begun.delete(name)
  }
  return { left: [...begun.keys()], slowest: done.toSorted((one, other) => other.seconds - one.seconds) }
}
