import { Readable } from 'node:stream'
import test from 'ava'
import { showTap } from '../../bin/local/test/tap.ts'

test('a file that ended before its tests is a failure, and titles are known as the tests have them', async (t) => {
  const lines = [
    'TAP version 13',
    'ok 1 - together › 7 › shared-1 › a › it holds',
    '# 1 test remaining in test/b.test.ts',
    '',
    '1..2',
    '# pass 1',
    '# fail 1',
  ]
  const said: string[] = []
  const counts = await showTap(Readable.from([lines.join('\n')]), (line) => void said.push(line))
  t.like(counts, { passed: 1, failed: 1, explained: true })
  t.deepEqual([...counts.reported], ['a › it holds'])
  t.deepEqual(said, ['✔ a › it holds', '', 'Failed:', '✘ 1 test remaining in test/b.test.ts'])
})
