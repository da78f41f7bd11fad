import { fileURLToPath } from 'node:url'
import test from 'ava'
import { readHouse, readSource } from '../house/source.ts'
import { arrange, type Unusual } from './arrange.ts'
import { slowFiles, timedFiles } from './unusual-files.ts'

/** A house with some files around the given ones. */
const house = (files: Record<string, string>, unusual: Unusual = {}) =>
  arrange(
    Object.entries({
      'test/helpers/servers.ts': `export const door = 1`,
      'test/helpers/platform.ts': `import { door } from './servers.ts'`,
      'src/plain.ts': `export const plain = 1`,
      'src/program.ts': "import { spawn } from 'node:child_process'",
      ...files,
    }).map(([path, text]) => readSource(path, text)),
    unusual,
  )

const one = 'test/one.test.ts'
const isTogether = { alone: [], together: new Map([['pure', [one]]]) }
const hasServer = { alone: [], together: new Map([['shared-1', [one]]]) }

const harmless: Record<string, string> = {
  'loads what reaches nothing': `import { plain } from '../src/plain.ts'`,
  'takes types only from what gives servers': `import type { Platform } from './helpers/platform.ts'`,
  'speaks of a server in a comment only': `// import { door } from './helpers/servers.ts'`,
}
for (const [what, code] of Object.entries(harmless)) {
  test(`a file of tests that ${what} may share a process`, (t) => {
    t.deepEqual(house({ [one]: code }), isTogether)
  })
}

const needy: Record<string, string> = {
  'loads what gives servers': `import { door } from './helpers/servers.ts'`,
  'loads it by a helper': `import { startPlatform } from './helpers/platform.ts'`,
  'loads it beside types': `import { type Platform, startPlatform } from './helpers/platform.ts'`,
  'loads it later': `const later = await import('./helpers/platform.ts')`,
  'passes it on': `export * from './helpers/platform.ts'`,
  'starts processes': "import { spawn } from 'node:child_process'",
  'loads what starts processes': `import { spawnIt } from '../src/program.ts'`,
}
for (const [what, code] of Object.entries(needy)) {
  test(`a file of tests that ${what} does not share the process of those that need no server`, (t) => {
    t.deepEqual(house({ [one]: code }), hasServer)
  })
}

// Concatenated, so that this file does not seem to have hooks.
const start = ['te', 'st.'].join('')
for (const hook of ['serial', 'before', 'after', 'beforeEach', 'afterEach', 'only']) {
  test(`a file of tests with ${hook} does not share the process of those that need no server`, (t) => {
    t.deepEqual(house({ [one]: `${start}${hook}('it', () => undefined)` }), hasServer)
    t.deepEqual(house({ [one]: `la${start}${hook}('it', () => undefined)` }), isTogether)
  })
}

test('a file of tests that makes something for the whole file does not share the process of those that need no server', (t) => {
  const word = ['for', 'Whole', 'File'].join('')
  t.deepEqual(house({ [one]: `const it = ${word}(test, 'it', make)` }), hasServer)
})

test('files that import each other are read to the end', (t) => {
  const circle = { 'src/a.ts': `import { b } from './b.ts'`, 'src/b.ts': `import { a } from './a.ts'` }
  t.deepEqual(house({ ...circle, [one]: `import { a } from '../src/a.ts'` }), isTogether)
})

const withServer = `import { door } from '../helpers/servers.ts'`

const named = (letters: string): string[] => letters.split('').map((letter) => `test/api/${letter}.test.ts`)

test('files that need a server are dealt out, those that take long first, and a file about time has its own process', (t) => {
  const files = Object.fromEntries(named('abcdefgh').map((name) => [name, withServer]))
  const { alone, together } = house(files, { timedFiles: named('b'), slowFiles: named('hg') })
  t.deepEqual(alone, named('b'))
  t.deepEqual(
    [...together],
    [
      ['shared-1', named('hef')],
      ['shared-2', named('gd')],
      ['shared-3', named('ac')],
    ],
  )
})

test('every file of tests has exactly one place, and what is unusual is there', (t) => {
  const all = readHouse(fileURLToPath(new URL('../..', import.meta.url)))
  const { alone, together } = arrange(all, { slowFiles, timedFiles })
  const tests = all.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
  t.deepEqual([...alone, ...[...together.values()].flat()].toSorted(), tests.toSorted())
  t.true(together.get('pure')?.includes('test/run/arrange.test.ts'))
  t.deepEqual(alone, timedFiles)
  for (const file of slowFiles) t.true(tests.includes(file), file)
})
