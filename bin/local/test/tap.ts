import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

interface TestCounts {
  passed: number
  failed: number
  skipped: string[]
  /** Whether a failure was shown. */
  explained: boolean
  /** The titles of the tests that ava reported, whatever became of them. */
  reported: Set<string>
}

/**
 * Prints ava's TAP output in readable form and counts the tests. ava's own report does not say how many passed if one
 * failed. The counts are those of ava's closing lines, which include tests that never finished. Failures are repeated
 * at the end, and so is a file that ended before its tests. `logs` shows what tests logged.
 */
export async function showTap(output: Readable, say: (line: string) => void, logs = false): Promise<TestCounts> {
  const counts = { passed: 0, failed: 0, skipped: [] as string[], reported: new Set<string>() }
  const failures: string[] = []
  let todo = 0
  let inFailure = false
  for await (const line of createInterface({ input: output })) {
    const [, not, title = ''] = /^(not )?ok \d+ - (?:together › \d+ › [\w-]+ › )?(.*)$/.exec(line) ?? []
    const [, closing, count] = /^# (pass|fail) (\d+)$/.exec(line) ?? []
    if (closing === 'pass') counts.passed = Number(count)
    else if (closing === 'fail') counts.failed = Number(count)
    else if (title.endsWith(' # TODO')) todo += 1
    if (title) inFailure = mark(not, title) === '✘'
    if (title) counts.reported.add(title)
    const [, remaining] = /^# (\d+ tests? remaining in .+)$/.exec(line) ?? []
    if (remaining) failures.push(`✘ ${remaining}`)
    if (title.endsWith(' # SKIP')) counts.skipped.push(title.slice(0, -' # SKIP'.length))
    const shown = readable(line, not, title, logs)
    if (shown === undefined) continue
    say(shown)
    if (inFailure) failures.push(shown)
  }
  if (failures.length > 0) for (const line of ['', 'Failed:', ...failures]) say(line)
  // ava counts todo tests as failures, although they do not fail the run.
  return { ...counts, explained: failures.length > 0, failed: counts.failed - todo }
}

function readable(line: string, not: string | undefined, title: string, logs: boolean): string | undefined {
  if (title) return `${mark(not, title)} ${title}`
  if (logs && line.startsWith('#   ')) return line.slice(1)
  return /^(#|TAP version|1\.\.\d|$)/.test(line) ? undefined : line
}

function mark(not: string | undefined, title: string): string {
  if (/ # (TODO|SKIP)$/.test(title)) return '-'
  return not ? '✘' : '✔'
}
