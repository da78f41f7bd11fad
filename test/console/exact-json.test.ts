import test from 'ava'
import { flatRows, indented, membersOf } from '../../console/parts/exact-json.ts'

const nested = '{"id":12345678901234567890,"list":[1,{"a":[]}],"id":"two","o":{},"text":"a \\"b\\", {c}: [d]"}'

test('members are read in their order, with long numbers and equal names as they were written', (t) => {
  t.deepEqual(membersOf(nested), [
    { name: 'id', json: '12345678901234567890' },
    { name: 'list', json: '[1,{"a":[]}]' },
    { name: 'id', json: '"two"' },
    { name: 'o', json: '{}' },
    { name: 'text', json: '"a \\"b\\", {c}: [d]"' },
  ])
})

test('space around values and escapes in names do not matter', (t) => {
  t.deepEqual(membersOf(' { "a\\u0062" :\n 1.50e+2 , "c":\ttrue } '), [
    { name: 'ab', json: '1.50e+2' },
    { name: 'c', json: 'true' },
  ])
})

for (const json of ['{}', '[]', '["a", "b"]', '"text"', 'null', '7'])
  test(`${json} has no members`, (t) => t.deepEqual(membersOf(json), []))

test('indented JSON keeps every token', (t) => {
  t.is(
    indented('{"id":12345678901234567890, "id":1.50,"list":[1,{"a":[]}],"o":{ }}'),
    `{
  "id": 12345678901234567890,
  "id": 1.50,
  "list": [
    1,
    {
      "a": []
    }
  ],
  "o": {}
}`,
  )
  t.deepEqual(JSON.parse(indented(nested)), JSON.parse(nested))
})

/** A value as JSON, and as a table shows it. */
const cells: [json: string, value: string, isText: boolean][] = [
  ['"Ask first"', 'Ask first', true],
  ['"two\\nlines"', 'two\nlines', true],
  ['3', '3', false],
  ['12345678901234567890', '12345678901234567890', false],
  ['true', 'true', false],
  ['[]', '[]', false],
  ['"3"', '"3"', false],
  ['"true"', '"true"', false],
  ['"null"', '"null"', false],
  ['""', '""', false],
  ['" space"', '" space"', false],
  ['"{}"', '"{}"', false],
  ['"[1]"', '"[1]"', false],
  ['"\\"quoted\\""', '"\\"quoted\\""', false],
  ['"2026-11-27"', '2026-11-27', true],
]

for (const [json, value, isText] of cells)
  test(`a table shows ${json} so that it cannot be taken for another value`, (t) => {
    t.deepEqual(flatRows(`{"name":${json}}`), [{ name: 'name', value, isText }])
  })

test('nested or many arguments are no table', (t) => {
  t.is(flatRows('{"a":{"b":1}}'), undefined)
  t.is(flatRows('{"a":[1]}'), undefined)
  t.deepEqual(flatRows('{}'), [])
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at])))
  t.is(flatRows(many(40))?.length, 40)
  t.is(flatRows(many(41)), undefined)
})
