import test from 'ava'
import { describeMutant, percentOf, scoreOf, survivorsOf, type Mutant } from './score.ts'
import { strykerPlugins } from './sentences.ts'

const rule = { path: 'src/runs/rule.ts', test: 'test/src/runs/rule.test.ts' }

const mutant = (status: Mutant['status'], facts: Partial<Mutant> = {}): Mutant => ({
  id: '1',
  fileName: rule.path,
  mutatorName: 'EqualityOperator',
  replacement: 'a <= b',
  status,
  location: { start: { line: 2, column: 8 }, end: { line: 2, column: 13 } },
  ...facts,
})

test('a mutant is noticed if the test fails or hangs; ignored ones do not count', (t) => {
  const mutants = (['Killed', 'Killed', 'Timeout', 'Survived', 'Ignored'] as const).map((status) => mutant(status))
  const score = scoreOf(rule, mutants, 5)
  t.deepEqual(score, { folder: 'src/runs', killed: 3, timeouts: 1, survived: 1, seconds: 5 })
  t.is(percentOf(score), 75)
  t.is(survivorsOf(mutants).length, 1)
  t.is(percentOf({ killed: 0, survived: 0 }), 100)
})

test('a mutant is described by its place, and by what it replaces', (t) => {
  const long = mutant('Survived', { location: { start: { line: 2, column: 8 }, end: { line: 3, column: 7 } } })
  const source = 'const a = 1\nreturn a < b\n  && c\n'
  t.is(describeMutant(rule, source, long), 'src/runs/rule.ts:2:8  a < b && c → a <= b')
})

test('sentences are left alone; codes, keys and patterns are not', (t) => {
  const ignored = (node: { type: string; value?: unknown; quasis?: { value: { raw: string } }[] }) =>
    strykerPlugins[0]?.value.shouldIgnore({ node }) !== undefined
  for (const [text, expected] of [
    ['The run failed.', true],
    ['select id, name from runs', true],
    ['NO_CREDITS', false],
    ['* * * * *', false],
    [', ', false],
    ['', false],
  ] as const) {
    t.is(ignored({ type: 'StringLiteral', value: text }), expected, text)
    t.is(ignored({ type: 'TemplateLiteral', quasis: [{ value: { raw: text } }] }), expected, text)
  }
  t.false(ignored({ type: 'TemplateLiteral', quasis: ['', ' ', ''].map((raw) => ({ value: { raw } })) }), 'a key')
  t.false(ignored({ type: 'NumericLiteral', value: 1 }))
})
