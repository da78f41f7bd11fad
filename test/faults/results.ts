import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** What came of one test. */
export interface TestResult {
  /** Without the name of its file, which ava puts before it when several files run. */
  title: string
  passed: boolean
}

/** The result that a line of ava's TAP report tells; undefined for other lines, and for tests that were not run. */
function resultOf(line: string): TestResult | undefined {
  const [, not, title] = /^(not )?ok \d+ - (.*)$/.exec(line) ?? []
  if (title === undefined || / # (TODO|SKIP)$/.test(title)) return undefined
  return { title: title.slice(title.lastIndexOf(' › ') + 1).replace(/^› /, ''), passed: !not }
}

/** What came of the tests of a fault. */
export type Verdict =
  | { kind: 'noticed'; by: string }
  /** Every test passed that was carried out. */
  | { kind: 'missed' }
  /** No test that passes without the fault was carried out; what was reported instead, if anything. */
  | { kind: 'broken'; report: string | undefined }

/**
 * Reads a report until a test fails that passes without the fault: more need not be known. A file that cannot be loaded
 * or a process that dies has noticed nothing; that would be found by whoever starts it.
 */
export async function judge(report: Readable, passing: ReadonlySet<string>): Promise<Verdict> {
  let ran = 0
  let oddity: string | undefined
  for await (const line of createInterface({ input: report })) {
    const result = resultOf(line)
    if (!result) continue
    if (!passing.has(result.title)) oddity ??= result.title
    else if (result.passed) ran += 1
    else return { kind: 'noticed', by: result.title }
  }
  return ran > 0 ? { kind: 'missed' } : { kind: 'broken', report: oddity }
}

/** All results of a report. */
export async function readResults(report: Readable): Promise<TestResult[]> {
  const results: TestResult[] = []
  for await (const line of createInterface({ input: report })) {
    const result = resultOf(line)
    if (result) results.push(result)
  }
  return results
}
