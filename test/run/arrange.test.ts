import { fileURLToPath } from 'node:url'
import test from 'ava'
import { readHouse, readSource } from '../house/source.ts'
import { arrange, pureTests, timedFiles } from './arrange.ts'

const house = (files: Record<string, string>) =>
  Object.entries({
    'test/helpers/servers.ts': `export const door = 1`,
    'test/helpers/platform.ts': `import { door } from './servers.ts'`,
    'src/program.ts': "import { spawn } from 'node:child_process'",
    'src/a.ts': `import { b } from './b.ts'`,
    'src/b.ts': `import { a } from './a.ts'`,
    ...files,
  }).map(([path, text]) => readSource(path, text))

const one = 'test/one.test.ts'

test('a test file needs a server if it loads what starts one, however it does', (t) => {
  for (const [code, isPure] of [
    [`import { a } from '../src/a.ts'`, true],
    [`import type { Platform } from './helpers/platform.ts'`, true],
    [`// import { door } from './helpers/servers.ts'`, true],
    [`import { type Platform, startPlatform } from './helpers/platform.ts'`, false],
    [`const later = await import('./helpers/platform.ts')`, false],
    [`export * from './helpers/platform.ts'`, false],
    [`import { spawnIt } from '../src/program.ts'`, false],
  ] as const)
    t.is(pureTests(house({ [one]: code })).has(one), isPure, code)
})

test('files are dealt out, first those that need no server', (t) => {
  const withServer = `import { door } from './helpers/servers.ts'`
  const files = Object.fromEntries(['a', 'b', 'd'].map((name) => [`test/${name}.test.ts`, withServer]))
  t.deepEqual(arrange(house({ ...files, 'test/c.test.ts': '', 'test/e.slow.ts': '' })), [
    ['test/c.test.ts', 'test/b.test.ts'],
    ['test/a.test.ts', 'test/d.test.ts'],
  ])
})

test('every file of tests has exactly one place', (t) => {
  const all = readHouse(fileURLToPath(new URL('../..', import.meta.url)))
  const tests = all.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
  t.deepEqual([...arrange(all).flat(), ...timedFiles].toSorted(), tests.toSorted())
})
