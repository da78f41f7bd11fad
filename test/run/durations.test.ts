import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { noteDuration, slowest } from './durations.ts'

function newLog(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-durations-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return join(folder, 'durations')
}

test('the files that took longest are listed, the longest first', (t) => {
  const log = newLog(t)
  for (const [file, seconds] of Object.entries({ short: 0.94, longest: 12.3, 'a long one': 9.1 })) {
    noteDuration(log, { file: `test/${file}.test.ts`, seconds })
  }
  t.deepEqual(slowest(log, 2), [
    { file: 'test/longest.test.ts', seconds: 12.3 },
    { file: 'test/a long one.test.ts', seconds: 9.1 },
  ])
  t.deepEqual(slowest(log, 10).at(-1), { file: 'test/short.test.ts', seconds: 0.9 })
})

test('where no process has noted anything, nothing is listed', (t) => {
  t.deepEqual(slowest(newLog(t), 10), [])
})
