import { Readable } from 'node:stream'
import test from 'ava'
import { chosen, plant, problemsOf, type Fault } from './fault.ts'
import { judge, resultOf } from './results.ts'

const fault: Fault = {
  id: 'runs/made-up',
  file: 'src/runs/made-up.ts',
  find: 'a < b',
  replace: 'a <= b',
  why: 'it is made up',
  tests: ['test/made-up.test.ts'],
}

test('a fault is planted where its text occurs exactly once, and nowhere else', (t) => {
  t.is(plant('if (a < b) return', fault), 'if (a <= b) return')
  t.throws(() => plant('if (a > b) return', fault), { message: /occurs 0 times/ })
  t.throws(() => plant('a < b && a < b', fault), { message: /occurs 2 times/ })
  t.throws(() => plant('a < b', { ...fault, replace: fault.find }))
  t.is(plant('a < b', { ...fault, replace: '$&' }), '$&', 'what is put in is taken as it is')
})

test('what is wrong with the list is said of each fault', (t) => {
  const list = [
    fault,
    { ...fault },
    { ...fault, id: 'b', tests: ['test/gone.test.ts'] },
    { ...fault, id: 'c', file: 'gone.ts' },
  ]
  const problems = problemsOf(list, (path) => !path.includes('gone'))
  t.deepEqual(
    list.map((one) => problems.get(one)),
    [undefined, 'another fault has this id', 'no such test file: test/gone.test.ts', 'no such file: gone.ts'],
  )
})

test('faults are chosen by parts of their id or path', (t) => {
  const list = [fault, { ...fault, id: 'vault/other', file: 'src/vault/other.ts' }]
  t.deepEqual(chosen(list, ['made']), [fault])
  t.deepEqual(chosen(list, ['src/vault', 'made']), list)
  t.deepEqual(chosen(list, []), list)
})

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
