import test from 'ava'
import { brokenPromises, type Promised } from './promises.ts'
import { readSource } from './source.ts'

const order = '- `order`: In order. `npm test -- --promise order` `npm run long -- order`'
const burst = '- `burst`: Many. `npm run long -- order`'
const page = (...lines: string[]): string => ['# Promises', '', '## Runs', '', ...lines].join('\n')
const kept: Promised = {
  page: page(order, burst),
  readme: 'Try `npm test -- --promise order`.',
  scripts: { long: 'exec node bin/long.ts', other: 'node bin/other.ts' },
}

const ava = "import test from 'ava'"
const it = "test('it', () => {})"
const source = (path: string, ...lines: string[]) => readSource(path, lines.join('\n'))
const house = [
  source('test/a.test.ts', ava, '// @promise order', "test.serial('it', () => {})"),
  source('test/long/order.ts', '// @promise order burst', ava, it),
]

const problemsOf = (changes: Partial<Promised>, ...more: ReturnType<typeof source>[]) =>
  brokenPromises({ ...kept, ...changes }, [...house, ...more]).map(({ path, problem }) => `${path} ${problem}`)

test('promises are kept if tests are tagged with them, and their commands run these', (t) => {
  t.deepEqual(problemsOf({}), [])
})

for (const [what, changes, says] of [
  ['no test', { page: page(order, burst, '- `once`: Once. `npm test -- --promise once`') }, /runs no test of once/],
  ['no command', { page: page(order, '- `burst`: Many.') }, /gives no command/],
  [
    'a script that does not run the test',
    { page: page(order, `${burst} \`npm run other\``) },
    /of burst: npm run other/,
  ],
  [
    'the command of another',
    { page: page(order, `${burst} \`npm test -- --promise order\``) },
    /runs no test of burst/,
  ],
  [
    'a test that its commands do not run',
    { page: page(order.replace(' `npm run long -- order`', ''), burst) },
    /no command that runs the test of order in test\/long\/order\.ts/,
  ],
  ['the id of another', { page: page(order, burst, order) }, /two promises one id/],
  ['a line that cannot be read', { page: page(order, burst, 'Once.') }, /has a line that is no promise: Once\./],
  ['its name in the README only', { readme: '`npm test -- --promise orders`' }, /^README\.md names the promise orders/],
] as const) {
  test(`a promise with ${what} is found`, (t) => {
    const problems = problemsOf(changes)
    t.is(problems.length, 1, problems.join('\n'))
    t.regex(problems[0] ?? '', says)
  })
}

for (const [what, lines, says] of [
  ['names no promise', [ava, '// @promise orders', it], /the promise orders/],
  ['names nothing', [ava, '// @promise', it], /tag without a promise/],
  ['is above a hook', [ava, '// @promise order', 'test.after(end)'], /not above/],
  ['is in a test', [ava, "test('it', () => {", '  // @promise order', '})'], /not above/],
  ['has a line below it', [ava, '// @promise order', '', it], /not above/],
  ['is in a function', [ava, 'function never() {', '  // @promise order', `  ${it}`, '}'], /not above/],
  ['is above a test of something else', ["import test from './mine.ts'", '// @promise order', it], /not above/],
  ['is at the top of a file without a test', ['// @promise order', ava], /not above/],
] as const) {
  test(`a tag that ${what} is found`, (t) => {
    const problems = problemsOf({}, source('test/c.test.ts', ...lines))
    t.is(problems.length, 1, problems.join('\n'))
    t.regex(problems[0] ?? '', says)
  })
}

const once = { page: page(order, burst, '- `once`: Once. `npm test -- --promise once`') }
const withPrograms = "import { testWith } from './helpers/programs.ts'"

for (const [where, ...lines] of [
  ['in a loop over a table', ava, 'for (const a of as) {', '  // @promise once', `  ${it}`, '}'],
  ['above a test that needs a program', withPrograms, '// @promise once', "testWith('uv')('it', () => {})"],
  ['above a function that declares a test', ava, `function holds() { ${it} }`, '// @promise once', 'holds()'],
  ['at the top of a file', '// @promise once', '', '/* Tests. */', ava, `for (const one of all) ${it}`],
] as const) {
  test(`a tag proves a promise ${where}`, (t) => {
    t.deepEqual(problemsOf(once, source('test/c.test.ts', ...lines)), [])
  })
}

test('what looks like a tag in a comment or in a text proves nothing', (t) => {
  const text = source('test/c.test.ts', ava, 'const text = `', '// @promise once', it, '`', it)
  t.regex(problemsOf(once, text).join('\n'), /^docs\/contribute\/promises\.md .*runs no test of once.*$/)
})
