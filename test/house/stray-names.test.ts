import test from 'ava'
import { strayNames } from './stray-names.ts'
import { readSource } from './source.ts'

const run = readSource('src/runs/run.ts', '/** Kept by src/runs/run.ts, as `node src/runs/run.ts` does. */\n')

const problemsOf = (pages: Record<string, string>, ...files: [path: string, text: string][]) =>
  strayNames(
    Object.entries(pages).map(([path, text]) => ({ path, text })),
    [run, ...files.map(([path, text]) => readSource(path, text))],
  ).map(({ path, problem }) => `${path} ${problem}`)

const comment = '// As run.ts says, and `claimRun`.\n'
const made: [string, string] = ['src/runs/claim.ts', 'export function claimRun() {}\n']

test('pages may name folders and files beside them, the maps each file once, and comments what their file uses', (t) => {
  const pages = {
    'README.md': 'See `src/runs/`, your own client.ts, and `test/**/*.test.ts`.',
    'src/runs/README.md': 'Begin with `run.ts`.',
    'docs/understand/how-it-works.md': 'A run is in `src/runs/run.ts`.',
    'CONTRIBUTING.md': 'Add it in `src/runs/run.ts`.',
    'docs/sites/middleware.md': 'Start `node examples/notebook.ts`.',
  }
  const example: [string, string] = ['examples/notebook.ts', 'console.log(1)\n']
  const using = `import { Run } from './run.ts'\nclaimRun()\n${comment}`
  t.deepEqual(problemsOf(pages, made, example, ['src/runs/end.ts', using]), [])
})

test('a page that names a source file is found, however it is written, and the map that names one twice', (t) => {
  for (const name of ['`src/runs/run.ts`', 'run.ts', '[run](../src/runs/run.ts)', '```\nnode src/runs/run.ts\n```']) {
    t.regex(
      problemsOf({ 'docs/api.md': `See ${name}.` }).join('\n'),
      /^docs\/api\.md names the source file .*run\.ts.*$/,
    )
  }
  const problems = problemsOf({
    'docs/understand/how-it-works.md': 'A run is in `src/runs/run.ts`; `run.ts` has its states.',
  })
  t.deepEqual(problems, ['docs/understand/how-it-works.md names the source file run.ts twice'])
})

test('a comment that names what its file does not use is found, also in the SQL of a migration', (t) => {
  const sql = 'export const runs = `\n  -- as run.ts says\n  state text`\n'
  t.deepEqual(problemsOf({}, made, ['src/runs/end.ts', comment], ['migrations/runs.ts', sql]), [
    'src/runs/end.ts has a comment that names run.ts, which it does not import',
    'src/runs/end.ts has a comment that names the function claimRun, which it does not use',
    'migrations/runs.ts has a comment that names run.ts, which it does not import',
  ])
})
