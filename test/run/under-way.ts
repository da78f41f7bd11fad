import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/**
 * Notes that a test, or the loading of a file, has begun or ended. Written at once, because a lost process can no
 * longer say what it was doing. Does nothing without a log.
 */
export function noteUnderWay(log: string | undefined, what: 'begun' | 'ended', name: string): void {
  // A line is short enough to be appended atomically.
  if (log !== undefined) appendFileSync(log, `${what === 'begun' ? '+' : '-'} ${name.replaceAll('\n', ' ')}\n`)
}

/** What has begun and not ended, oldest first. */
export function leftUnderWay(path: string): string[] {
  const left: string[] = []
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  for (const line of lines.filter(Boolean)) {
    const name = line.slice(2)
    if (line.startsWith('+')) left.push(name)
    else left.splice(left.indexOf(name), 1)
  }
  return left
}
