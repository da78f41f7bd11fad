import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface TestCounts {
  passed: number
  failed: number
}

/**
 * Shows ava's TAP output as a person wants to read it, and counts. TAP, because ava's own report does not say how many
 * passed when one failed. The counts are those of ava's closing lines: they know of tests that never finished.
 * What tests have logged is shown if `logs` says so.
 */
export async function showTap(output: Readable, say: (line: string) => void, logs = false): Promise<TestCounts> {
  const counts: TestCounts = { passed: 0, failed: 0 }
  let todo = 0
  for await (const line of createInterface({ input: output })) {
    const [, not, title = ''] = /^(not )?ok \d+ - (.*)$/.exec(line) ?? []
    const [, closing, count] = /^# (pass|fail) (\d+)$/.exec(line) ?? []
    if (closing === 'pass') counts.passed = Number(count)
    else if (closing === 'fail') counts.failed = Number(count)
    else if (title.endsWith(' # TODO')) todo += 1
    if (title) say(`${mark(not, title)} ${title}`)
    else if (logs && line.startsWith('#   ')) say(line.slice(1))
    else if (!/^(#|TAP version|1\.\.\d|$)/.test(line)) say(line)
  }
  // ava counts what is still to be written among the failures, although it does not fail for it.
  return { passed: counts.passed, failed: counts.failed - todo }
}

function mark(not: string | undefined, title: string): string {
  if (/ # (TODO|SKIP)$/.test(title)) return '-'
  return not ? '✘' : '✔'
}
