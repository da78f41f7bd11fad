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

test('the files with the tests of promises take their places, and other arguments stay', (t) => {
  const [a, b, c] = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']
  for (const [given, expected, ids] of [
    [['--verbose', '--promise', 'order', '--fail-fast'], [a, b, '--verbose', '--fail-fast'], ['order']],
    [[c, '--verbose'], [c, '--verbose'], []],
    [
      ['--promise', 'order', '--promise=once'],
      [a, b, c],
      ['order', 'once'],
    ],
  ] as const)
    t.deepEqual(namePromised([...given], files), { given: [...expected], ids: [...ids] })
})

test('a promise that nobody made, or that only another command proves, runs nothing', (t) => {
  for (const given of [['orders'], ['bursts'], [], ['order', '--promise=orders']])
    t.throws(() => namePromised(['--promise', ...given], files), { message: /no test/i })
})

test('a file that does not exist is named', (t) => {
  const [known, unknown] = ['test/c.test.ts:3-5', 'test/d.test.ts:7']
  t.deepEqual(namePromised([known, 'test/*/x.test.ts'], files).given, [known, 'test/*/x.test.ts'])
  t.throws(() => namePromised([known, unknown], files), { message: /test\/d\.test\.ts:/ })
})

test('a promise is not fully proved if one of its tests did not run', (t) => {
  const said = notProved(['site-owners'], ['it works, which needs python3']).join('\n')
  t.regex(said, /Not run: it works, which needs python3\nNot fully proved: site-owners\./)
  t.deepEqual(notProved(['site-owners'], []), [])
})
