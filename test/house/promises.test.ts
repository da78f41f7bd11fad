import test from 'ava'
import { brokenPromises, type Promised } from './promises.ts'
import { readSource } from './source.ts'

const page = (...lines: string[]): string => ['# Promises', '', ...lines].join('\n')

const kept: Promised = {
  page: page(
    '- `order`: In `order`. `npm test -- --promise order` `npm run long:order`',
    '- `burst`: Many. `npm run long:order`',
  ),
  readme: 'Try `npm test -- --promise order`.',
  scripts: { 'long:order': 'exec node bin/test.ts test/long/order.ts --verbose', other: 'node bin/other.ts' },
}

const source = (path: string, ...lines: string[]) => readSource(path, lines.join('\n'))

const house = [
  source('test/a.test.ts', "import test from 'ava'", '// @promise order', "test.serial('it', () => {})"),
  source('test/b.test.ts', 'function holds(title) {', '}', '  // @promise order', "  holds('it')"),
  source('test/c.test.ts', "const withPip = testWith('pip')", '// @promise order', "withPip('it', () => {})"),
  source('test/long/order.ts', '// @promise order burst', "import test from 'ava'"),
]

const problemsOf = (changes: Partial<Promised>, ...more: ReturnType<typeof source>[]) =>
  brokenPromises({ ...kept, ...changes }, [...house, ...more]).map(({ path, problem }) => `${path} ${problem}`)

test('promises are kept if tests are tagged with them, and their commands run these', (t) => {
  t.deepEqual(problemsOf({}), [])
})

const order = '- `order`: In order. `npm test -- --promise order` `npm run long:order`'

const broken: Record<string, { changes: Partial<Promised>; says: RegExp }> = {
  'a promise without a test': {
    changes: { page: `${kept.page}\n- \`once\`: Once. \`npm test -- --promise once\`` },
    says: /runs no test of once/,
  },
  'a promise without a command': { changes: { page: page(order, '- `burst`: Many.') }, says: /gives no command/ },
  'a script that is not there': {
    changes: { page: page(order, '- `burst`: Many. `npm run long:order` `npm run long:burst`') },
    says: /runs no test of burst: npm run long:burst/,
  },
  'a script that does not run the test': {
    changes: { page: page(order, '- `burst`: Many. `npm run long:order` `npm run other`') },
    says: /runs no test of burst: npm run other/,
  },
  'the command of another promise': {
    changes: { page: page(order, '- `burst`: Many. `npm run long:order` `npm test -- --promise order`') },
    says: /runs no test of burst: npm test -- --promise order/,
  },
  'a test that no command of its promise runs': {
    changes: { page: page(order.replace(' `npm run long:order`', ''), '- `burst`: Many. `npm run long:order`') },
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

const stray: Record<string, { lines: string[]; says: RegExp }> = {
  'one that names no promise': { lines: ['// @promise orders', "test('it', () => {})"], says: /the promise orders/ },
  'one that names nothing': { lines: ['// @promise', "test('it', () => {})"], says: /tag without a promise/ },
  'one above an import': { lines: ["import test from 'ava'", '// @promise order', "import 'b'"], says: /not above/ },
  'one above a hook': { lines: ["import test from 'ava'", '// @promise order', 'test.after(end)'], says: /not above/ },
  'one above a call that declares no test': {
    lines: ['function holds(list) {}', '// @promise order', "holds('it')"],
    says: /not above/,
  },
  'one in a test': { lines: ["test('it', () => {", '  // @promise order', '  t.pass()', '})'], says: /not above/ },
  'one with a line below it': { lines: ["import 'b'", '// @promise order', '', "test('it')"], says: /not above/ },
}

for (const [what, { lines, says }] of Object.entries(stray)) {
  test(`a tag that proves nothing is found: ${what}`, (t) => {
    const problems = problemsOf({}, source('test/c.test.ts', ...lines))
    t.is(problems.length, 1, problems.join('\n'))
    t.regex(problems[0] ?? '', says)
  })
}
