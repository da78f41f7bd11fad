import test from 'ava'
import { toRepeat } from './repeated.ts'

const files = ['test/crash/orphans.test.ts', 'test/src/why/causes.test.ts', 'test/secrecy.test.ts']

test('the files of a few failed tests are run once more, each once', (t) => {
  const titles = ['crash › orphans › it ends', 'crash › orphans › another', 'secrecy › nothing › is told']
  t.deepEqual(toRepeat(titles, files), ['test/crash/orphans.test.ts', 'test/secrecy.test.ts'])
})

test('nothing is run once more if a process has failed, or if very many files have', (t) => {
  t.deepEqual(toRepeat([], files), [])
  t.deepEqual(toRepeat(['secrecy › it', 'together exited with a non-zero exit code: 1'], files), [])
  const many = Array.from({ length: 6 }, (_, index) => `file${index}`)
  t.deepEqual(
    toRepeat(
      many.map((name) => `${name} › fails`),
      many.map((name) => `test/${name}.test.ts`),
    ),
    [],
  )
})
