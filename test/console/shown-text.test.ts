import test from 'ava'
import { shownLength, shownText, shownValue } from '../../console/parts/shown-text.ts'

for (const [given, shown] of [
  ['plain text, ünïcödé 🚋', 'plain text, ünïcödé 🚋'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
  ['a\u202etxt.exe', 'a\\u202etxt.exe'],
  ['\u2066isolated\u2069', '\\u2066isolated\\u2069'],
  ['a\rb', 'a\\u000db'],
  ['nul\u0000', 'nul\\u0000'],
] as const)
  test(`what would be obeyed in ${JSON.stringify(given)} is shown`, (t) => t.is(shownText(given), shown))

test('a value is shown as indented JSON, and a text as it is', (t) => {
  t.is(shownValue({ a: [1] }).text, '{\n  "a": [\n    1\n  ]\n}')
  t.is(shownValue('{"a":1}').text, '{"a":1}')
  t.is(shownValue(null).text, 'null')
})

test('a long value is cut without half a character, and kept whole for its download', (t) => {
  const long = `x${'🚋'.repeat(shownLength)}`
  const { text, whole, isCut } = shownValue(long)
  t.true(isCut)
  t.is(whole, long)
  t.true(text.isWellFormed())
  t.false(shownValue('x'.repeat(shownLength)).isCut)
})
