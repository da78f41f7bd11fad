import test from 'ava'
import { readSource } from '../house/source.ts'
import { namePromised } from './promised.ts'

const tagged = (path: string, ids: string) => readSource(path, `// @promise ${ids}\nimport test from 'ava'\n`)

const files = [
  tagged('test/a.test.ts', 'order'),
  tagged('test/b.test.ts', 'once order'),
  tagged('test/c.test.ts', 'once'),
  tagged('test/long/order.ts', 'order bursts'),
]

test('the files with the tests of a promise take its place, and other arguments stay', (t) => {
  t.deepEqual(namePromised(['--verbose', '--promise', 'order', '--fail-fast'], files), [
    '--verbose',
    'test/a.test.ts',
    'test/b.test.ts',
    '--fail-fast',
  ])
  t.deepEqual(namePromised(['test/c.test.ts', '--verbose'], files), ['test/c.test.ts', '--verbose'])
})

test('a promise that nobody made, or that only another command proves, runs nothing', (t) => {
  for (const id of ['orders', 'bursts']) t.throws(() => namePromised(['--promise', id], files), { message: /no test/i })
  t.throws(() => namePromised(['--promise'], files))
})
