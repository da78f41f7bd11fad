import test from 'ava'
import { pins } from './pins.ts'
import { readSource } from './source.ts'

const run = readSource('src/runs/run.ts', '/** Kept by src/runs/run.ts, as `node src/runs/run.ts` does. */\n')

const problemsOf = (pages: Record<string, string>, ...files: [path: string, text: string][]) =>
  pins(
    Object.entries(pages).map(([path, text]) => ({ path, text })),
    [run, ...files.map(([path, text]) => readSource(path, text))],
  ).map(({ path, problem }) => `${path} ${problem}`)

test('a page may name folders, and files that are not in the repository', (t) => {
  t.deepEqual(problemsOf({ 'README.md': 'See `src/runs/`, your own client.ts, and `test/**/*.test.ts`.' }), [])
})

test('the page of a folder may name the files beside it', (t) => {
  t.deepEqual(problemsOf({ 'src/runs/README.md': 'Begin with `run.ts`.' }), [])
})

test('a page that names a source file is found, however it is written', (t) => {
  for (const name of ['`src/runs/run.ts`', 'run.ts', '[run](../src/runs/run.ts)', '```\nnode src/runs/run.ts\n```']) {
    const problems = problemsOf({ 'docs/api.md': `See ${name}.` })
    t.is(problems.length, 1, name)
    t.regex(problems[0] ?? '', /^docs\/api\.md names the source file .*run\.ts/)
  }
})

test('the page about the architecture names a file once, and no more', (t) => {
  t.deepEqual(problemsOf({ 'docs/architecture.md': 'A run is in `src/runs/run.ts`.' }), [])
  const problems = problemsOf({ 'docs/architecture.md': 'A run is in `src/runs/run.ts`; `run.ts` has its states.' })
  t.deepEqual(problems, ['docs/architecture.md names the source file run.ts twice'])
})

test('a comment may name a file that its file imports, and no other', (t) => {
  const comment = '// As run.ts says.\n'
  t.deepEqual(problemsOf({}, ['src/runs/end.ts', `import { Run } from './run.ts'\n${comment}`]), [])
  const problems = problemsOf({}, ['src/runs/end.ts', comment])
  t.deepEqual(problems, ['src/runs/end.ts has a comment that names run.ts, which it does not import'])
})

test('a comment in the SQL of a migration is read too', (t) => {
  const problems = problemsOf({}, ['migrations/runs.ts', 'export const runs = `\n  -- as run.ts says\n  state text`\n'])
  t.deepEqual(problems, ['migrations/runs.ts has a comment that names run.ts, which it does not import'])
})

test('a comment may name a function that its file uses, and no other', (t) => {
  const made: [string, string] = ['src/runs/claim.ts', 'export function claimRun() {}\n']
  const comment = '// As `claimRun` does.\n'
  t.deepEqual(problemsOf({}, made, ['src/runs/end.ts', `claimRun()\n${comment}`]), [])
  const problems = problemsOf({}, made, ['src/runs/end.ts', comment])
  t.deepEqual(problems, ['src/runs/end.ts has a comment that names the function claimRun, which it does not use'])
})
