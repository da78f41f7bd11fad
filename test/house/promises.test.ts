import test from 'ava'
import { brokenPromises } from './promises.ts'
import { readSource } from './source.ts'

const house = [readSource('test/a.test.ts', `test('a title, with "quotes"', () => {})\ntest("it's so", () => {})`)]

const page = (...tests: string[]) => `| promise | held by |\n| --- | --- |\n| P | ${tests.join(' <br> ')} |\n`

test('a promise whose tests are there is kept, whatever the quotes of their titles', (t) => {
  const text = page('`test/a.test.ts`: a title, with "quotes"', "`test/a.test.ts`: it's so", '`test/a.test.ts`')
  t.deepEqual(brokenPromises(text, house), [])
})

test('a test that is named and not there is found: its file, or its title, or a part of one', (t) => {
  const text = page('`test/b.test.ts`', '`test/a.test.ts`: another title', '`test/a.test.ts`: a title')
  t.is(brokenPromises(text, house).length, 3)
})
