import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { noteProgress, readProgress } from './progress.ts'

test('what has not ended is known, and what took longest comes first', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-progress-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  t.deepEqual(readProgress(log), { left: [], slowest: [] })
  writeFileSync(log, 'begun 1000 quick\nbegun 1100 slow › one\nended 1200 quick\nended 3400 slow › one\n')
  noteProgress('begun', 'lost\nin two lines', log)
  t.deepEqual(readProgress(log), {
    left: ['lost in two lines'],
    slowest: [
      { name: 'slow › one', seconds: 2.3 },
      { name: 'quick', seconds: 0.2 },
    ],
  })
})
