import { Readable } from 'node:stream'
import test from 'ava'
import { judge, resultOf } from './results.ts'

test('a result is read from a line of the report, whatever file it is from', (t) => {
  t.deepEqual(resultOf('ok 1 - a promise holds'), { title: 'a promise holds', passed: true })
  t.deepEqual(resultOf('not ok 2 - src › runs › a promise holds'), { title: 'a promise holds', passed: false })
  for (const line of ['ok 3 - later # TODO', 'ok 4 - not here # SKIP', '# pass 3', '    not ok 1 - inside']) {
    t.is(resultOf(line), undefined, line)
  }
})

const judged = (...lines: string[]) => judge(Readable.from(lines.map((line) => `${line}\n`)), new Set(['one', 'two']))

test('a fault is noticed by a test that passes without it', async (t) => {
  t.deepEqual(await judged('ok 1 - one', 'not ok 2 - two'), { kind: 'noticed', by: 'two' })
  t.deepEqual(await judged('ok 1 - one', 'ok 2 - two'), { kind: 'missed' })
  t.deepEqual(await judged('ok 1 - one', 'not ok 2 - one that fails anyway'), { kind: 'missed' })
})

test('a file that cannot be loaded, or a process that dies, has noticed nothing', async (t) => {
  const exit = 'not ok 1 - test/made-up.test.ts exited with a non-zero exit code: 1'
  t.deepEqual(await judged(exit), { kind: 'broken', report: exit.slice('not ok 1 - '.length) })
  t.deepEqual(await judged(), { kind: 'broken', report: undefined })
})
