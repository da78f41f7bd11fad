import { fileURLToPath } from 'node:url'
import test from 'ava'
import { readHouse, readSource } from '../house/source.ts'
import { arrange } from './arrange.ts'

/** A house of a test and what stands around it; all else in it is loaded by nobody. */
const house = (files: Record<string, string>) =>
  arrange(
    Object.entries({
      'test/helpers/servers.ts': `export const door = 1`,
      'test/helpers/platform.ts': `import { door } from './servers.ts'`,
      'src/plain.ts': `export const plain = 1`,
      'src/program.ts': "import { spawn } from 'node:child_process'",
      ...files,
    }).map(([path, text]) => readSource(path, text)),
  )

const one = 'test/one.test.ts'
const isAlone = { alone: [one], together: [] }
const isTogether = { alone: [], together: [one] }

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
  test(`a file of tests that ${what} gets a process of its own`, (t) => {
    t.deepEqual(house({ [one]: code }), isAlone)
  })
}

// Put together here, so that this file is not taken for one that has them.
const start = ['te', 'st.'].join('')
for (const hook of ['serial', 'before', 'after', 'beforeEach', 'afterEach', 'only']) {
  test(`a file of tests with ${hook} gets a process of its own`, (t) => {
    t.deepEqual(house({ [one]: `${start}${hook}('it', () => undefined)` }), isAlone)
    t.deepEqual(house({ [one]: `la${start}${hook}('it', () => undefined)` }), isTogether)
  })
}

test('a file of tests that makes something for the whole file gets a process of its own', (t) => {
  const word = ['for', 'Whole', 'File'].join('')
  t.deepEqual(house({ [one]: `const it = ${word}(test, 'it', make)` }), isAlone)
})

test('files that import each other are read to the end', (t) => {
  const circle = { 'src/a.ts': `import { b } from './b.ts'`, 'src/b.ts': `import { a } from './a.ts'` }
  t.deepEqual(house({ ...circle, [one]: `import { a } from '../src/a.ts'` }), isTogether)
})

test('every file of tests has exactly one place', (t) => {
  const all = readHouse(fileURLToPath(new URL('../..', import.meta.url)))
  const { alone, together } = arrange(all)
  const tests = all.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
  t.deepEqual([...alone, ...together].toSorted(), tests.toSorted())
  t.true(alone.length > 0)
  t.true(together.includes('test/run/arrange.test.ts'))
})
