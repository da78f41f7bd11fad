import test from 'ava'
import { placeOfSyntaxError } from '../../../src/config/syntax-error-place.ts'

const placeOf = (text: string): string => {
  const { line, column } = placeOfSyntaxError(text)
  return `${line}:${column}`
}

test('a syntax error in JSON is told with its line and column', (t) => {
  const cases: [text: string, place: string][] = [
    ['', '1:1'],
    ['{"a": 1,}', '1:9'],
    ['{\n  "a": 1\n  "b": 2\n}', '3:3'],
    ['{"a" 1}', '1:6'],
    ["{'a': 1}", '1:2'],
    ['[1, ]', '1:5'],
    ['{"a": [{}, {"b": tru}]}', '1:18'],
    ['[01]', '1:3'],
    ['{} {}', '1:4'],
    ['{"a": "b\n"}', '1:7'],
    ['{"a": "\\x"}', '1:7'],
    ['{"a": 1} // why', '1:10'],
    ['[\r\n1,\r\n,]', '3:1'],
  ]
  for (const [text, place] of cases) {
    t.throws(() => JSON.parse(text) as unknown, { instanceOf: SyntaxError }, text)
    t.is(placeOf(text), place, text)
  }
})

test('JSON that ends too early fails at its end, wherever it ends', (t) => {
  const whole = '{ "a": [1, -2.5e3, "é\\n\\u00e9", true, null, [], {}, [[{"b": {}}]]], "c": "x" }'
  t.is(placeOf(whole), `1:${whole.length + 1}`)
  for (let length = 0; length < whole.length; length += 1) {
    const column = placeOfSyntaxError(whole.slice(0, length)).column - 1
    // A token that is not complete is told at its beginning.
    t.regex(whole.slice(column, length), /^("[^"]*|[\w.-]*)$/, whole.slice(0, length))
  }
})

test('JSON of any depth is read', (t) => {
  t.is(placeOf('['.repeat(100_000)), '1:100001')
})
