import test from 'ava'
import { readSource } from '../house/source.ts'
import { namePromised, notProved } from './promised.ts'

const tagged = (path: string, ids: string) =>
  readSource(path, `// @promise ${ids}\nimport test from 'ava'\ntest('it')\n`)

const files = [
  tagged('test/a.test.ts', 'order'),
  tagged('test/b.test.ts', 'once order'),
  tagged('test/c.test.ts', 'once'),
  tagged('test/long/order.ts', 'order bursts'),
]

test('the files with the tests of a promise take its place, and other arguments stay', (t) => {
  t.deepEqual(namePromised(['--verbose', '--promise', 'order', '--fail-fast'], files), {
    given: ['test/a.test.ts', 'test/b.test.ts', '--verbose', '--fail-fast'],
    ids: ['order'],
  })
  t.deepEqual(namePromised(['test/c.test.ts', '--verbose'], files), {
    given: ['test/c.test.ts', '--verbose'],
    ids: [],
  })
})

test('several promises have the files of all of them, however they are given', (t) => {
  const all = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']
  const both = ['order', 'once']
  t.deepEqual(namePromised(['--promise', 'order', '--promise', 'once'], files), { given: all, ids: both })
  t.deepEqual(namePromised(['--promise=order', '--promise=once'], files), { given: all, ids: both })
})

test('a promise that nobody made, or that only another command proves, runs nothing', (t) => {
  for (const id of ['orders', 'bursts']) t.throws(() => namePromised(['--promise', id], files), { message: /no test/i })
  for (const given of [['--promise'], ['--promise='], ['--promise', 'order', '--promise=orders']]) {
    t.throws(() => namePromised(given, files), { message: /no test/i })
  }
})

test('a promise is not fully proved if one of its tests did not run', (t) => {
  const said = notProved(['site-owners'], ['it works, which needs python3']).join('\n')
  t.regex(said, /Not run: it works, which needs python3\nNot fully proved: site-owners\./)
  t.deepEqual(notProved(['site-owners'], []), [])
  t.deepEqual(notProved([], ['it works, which needs python3']), [])
})
