import test from 'ava'
import { brokenPromises, type Promised } from './promises.ts'
import { readSource } from './source.ts'

const page = (...lines: string[]): string =>
  ['# Promises', '', 'Each has a command.', '', '## Runs', '', ...lines].join('\n')

const kept: Promised = {
  page: page(
    '- `order`: In `order`. `npm test -- --promise order` `npm run long -- order`',
    '- `burst`: Many. `npm run long -- order`',
  ),
  readme: 'Try `npm test -- --promise order`.',
  scripts: { long: 'exec node bin/long.ts', other: 'node bin/other.ts' },
}

const source = (path: string, ...lines: string[]) => readSource(path, lines.join('\n'))

const house = [
  source('test/a.test.ts', "import test from 'ava'", '// @promise order', "test.serial('it', () => {})"),
  source('test/long/order.ts', '// @promise order burst', "import test from 'ava'", "test('it', () => {})"),
]

const problemsOf = (changes: Partial<Promised>, ...more: ReturnType<typeof source>[]) =>
  brokenPromises({ ...kept, ...changes }, [...house, ...more]).map(({ path, problem }) => `${path} ${problem}`)

test('promises are kept if tests are tagged with them, and their commands run these', (t) => {
  t.deepEqual(problemsOf({}), [])
})

const order = '- `order`: In order. `npm test -- --promise order` `npm run long -- order`'

const broken: Record<string, { changes: Partial<Promised>; says: RegExp }> = {
  'a promise without a test': {
    changes: { page: `${kept.page}\n- \`once\`: Once. \`npm test -- --promise once\`` },
    says: /runs no test of once/,
  },
  'a promise without a command': { changes: { page: page(order, '- `burst`: Many.') }, says: /gives no command/ },
  'a script that is not there': {
    changes: { page: page(order, '- `burst`: Many. `npm run long -- order` `npm run long -- burst`') },
    says: /runs no test of burst: npm run long -- burst/,
  },
  'a script that does not run the test': {
    changes: { page: page(order, '- `burst`: Many. `npm run long -- order` `npm run other`') },
    says: /runs no test of burst: npm run other/,
  },
  'the command of another promise': {
    changes: { page: page(order, '- `burst`: Many. `npm run long -- order` `npm test -- --promise order`') },
    says: /runs no test of burst: npm test -- --promise order/,
  },
  'a test that no command of its promise runs': {
    changes: { page: page(order.replace(' `npm run long -- order`', ''), '- `burst`: Many. `npm run long -- order`') },
    says: /no command that runs the test of order in test\/long\/order\.ts/,
  },
  'an id that is given twice': { changes: { page: `${kept.page}\n${order}` }, says: /two promises one id/ },
  'a promise of the README that nobody made': {
    changes: { readme: '`npm test -- --promise orders`' },
    says: /^README\.md names the promise orders/,
  },
}

for (const [what, { changes, says }] of Object.entries(broken)) {
  test(`a broken promise is found: ${what}`, (t) => {
    const problems = problemsOf(changes)
    t.is(problems.length, 1, problems.join('\n'))
    t.regex(problems[0] ?? '', says)
  })
}

const ava = "import test from 'ava'"
const it = "test('it', () => {})"

const stray: Record<string, { lines: string[]; says: RegExp }> = {
  'one that names no promise': { lines: [ava, '// @promise orders', it], says: /the promise orders/ },
  'one that names nothing': { lines: [ava, '// @promise', it], says: /tag without a promise/ },
  'one above an import': { lines: [ava, '// @promise order', "import 'b'", it], says: /not above/ },
  'one above a hook': { lines: [ava, '// @promise order', 'test.after(end)'], says: /not above/ },
  'one above a call that declares no test': {
    lines: [ava, 'function holds(list) {}', '// @promise order', "holds('it')"],
    says: /not above/,
  },
  'one in a test': { lines: [ava, "test('it', () => {", '  // @promise order', '  t.pass()', '})'], says: /not above/ },
  'one with a line below it': { lines: [ava, '// @promise order', '', it], says: /not above/ },
  'one in a condition': { lines: [ava, 'if (false) {', '  // @promise order', `  ${it}`, '}'], says: /not above/ },
  'one in a function': { lines: [ava, 'function never() {', '  // @promise order', `  ${it}`, '}'], says: /not above/ },
  'one above a test that is skipped': {
    lines: ["import ava from 'ava'", 'const test = ava.skip', '// @promise order', it],
    says: /not above/,
  },
  'one above a test of something else': {
    lines: ["import test from './mine.ts'", '// @promise order', it],
    says: /not above/,
  },
  'one at the top of a file whose tests are skipped': {
    lines: ['// @promise order', ava, ['test', "skip('it', () => {})"].join('.')],
    says: /not above/,
  },
  'one at the top of a file without a test': { lines: ['// @promise order', ava], says: /not above/ },
}

for (const [what, { lines, says }] of Object.entries(stray)) {
  test(`a tag that proves nothing is found: ${what}`, (t) => {
    const problems = problemsOf({}, source('test/c.test.ts', ...lines))
    t.is(problems.length, 1, problems.join('\n'))
    t.regex(problems[0] ?? '', says)
  })
}

const once = `${kept.page}\n- \`once\`: Once. \`npm test -- --promise once\``

const proofs: Record<string, string[]> = {
  'above a serial test': [ava, '// @promise once', "test.serial('it', () => {})"],
  'in loops over tables': [
    ava,
    'for (const a of as)',
    '  for (const b of bs) {',
    '    // @promise once',
    `    ${it}`,
    '  }',
  ],
  'above a test that needs a program': [
    "import { testWith } from './helpers/programs.ts'",
    "const withUv = testWith('uv')",
    '// @promise once',
    "withUv('it', () => {})",
  ],
  'above a call that makes its test': [
    "import { testWith } from './helpers/programs.ts'",
    '// @promise once',
    "testWith('uv')('it', () => {})",
  ],
  'above a function that declares a test': [
    ava,
    'function holds(title) {',
    '  test(title, () => {})',
    '}',
    '// @promise once',
    "holds('it')",
  ],
  'at the top of a file': ['// @promise once', '', '/* Tests. */', ava, `for (const one of all) ${it}`],
}

for (const [where, lines] of Object.entries(proofs)) {
  test(`a tag proves a promise ${where}`, (t) => {
    t.deepEqual(problemsOf({ page: once }, source('test/c.test.ts', ...lines)), [])
  })
}

for (const [what, lines] of Object.entries({
  'a comment': [ava, '/*', '// @promise once', it, '*/', it],
  'a text': [ava, 'const text = `', '// @promise once', it, '`', it],
})) {
  test(`what looks like a tag in ${what} proves nothing`, (t) => {
    const [problem, ...others] = problemsOf({ page: once }, source('test/c.test.ts', ...lines))
    t.regex(problem ?? '', /runs no test of once/)
    t.deepEqual(others, [])
  })
}

test('a line of the page that cannot be read as a promise is found', (t) => {
  const line = '- `once`: Once. `npm test -- --promise once`'
  for (const other of [line.replace('-', '*'), `  ${line}`, 'Once.', line.replace('. ', ' '), `${line} always`]) {
    t.deepEqual(problemsOf({ page: `${kept.page}\n${other}` }), [
      `docs/promises.md has a line that is no promise: ${other}`,
    ])
  }
  const [problem] = problemsOf({ page: kept.page.replace('\n## Runs', `* ${line}\n## Runs`) })
  t.regex(problem ?? '', /is no promise: \* - `once`/)
})
