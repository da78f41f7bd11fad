import test from 'ava'
import { JsonText, writeJson } from '../../src/json-text.ts'

test('a text stands in the whole as it is, on one line', (t) => {
  const long = '{ "n": 12345678901234567890,\r\n\n"a":1,"a":2 }'
  const written = writeJson({ first: new JsonText(long), between: ['"', new JsonText('[]')], last: 'json text' })
  t.is(written, '{"first":{ "n": 12345678901234567890, "a":1,"a":2 },"between":["\\"",[]],"last":"json text"}')
})

test('without such a text it is written as ever', (t) => {
  const value = { a: [1, null, 'x\n', undefined], b: undefined, c: new Date(0) }
  t.is(writeJson(value), JSON.stringify(value))
})

test('a failure leaves nothing behind for the next', (t) => {
  const broken = { a: new JsonText('1'), b: 1n }
  t.throws(() => writeJson(broken), { instanceOf: TypeError })
  t.is(writeJson({ a: new JsonText('2') }), '{"a":2}')
})

test('where it is written by others it is the value', (t) => {
  t.is(JSON.stringify({ a: new JsonText('{ "b": 1 }') }), '{"a":{"b":1}}')
})
