import test from 'ava'
import { chosenAs } from '../../console/parts/chosen.ts'
import { composed, fieldsOf, jsonProblem } from '../../console/screens/sites/calls/schema-form.ts'

const kinds = [
  [{ type: 'string' }, 'lines'],
  [{ type: 'string', maxLength: 200 }, 'text'],
  [{ type: 'string', maxLength: 201 }, 'lines'],
  [{ type: 'string', format: 'email' }, 'text'],
  [{ type: 'string', enum: ['a', 'b'] }, 'choice'],
  [{ enum: ['a', 1, null] }, 'choice'],
  [{ const: 'a' }, 'choice'],
  [{ enum: [{ a: 1 }] }, 'json'],
  [{ type: 'integer' }, 'integer'],
  [{ type: 'number' }, 'number'],
  [{ type: 'boolean' }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'json'],
  [{ type: 'array', items: { enum: ['a', 1] } }, 'choices'],
  [{ type: 'array', items: { type: 'boolean' } }, 'json'],
  [{ type: 'object' }, 'json'],
  [{ type: ['string', 'null'] }, 'json'],
  [{}, 'json'],
  [true, 'json'],
] as const

for (const [property, kind] of kinds) {
  test(`an argument with the schema ${JSON.stringify(property)} is asked for as ${kind}`, (t) => {
    t.is(fieldsOf({ type: 'object', properties: { it: property } })?.[0]?.kind, kind)
  })
}

const tooHard = [
  { type: 'object', anyOf: [{ required: ['a'] }] },
  { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
  { type: 'object', patternProperties: { a: {} } },
  { $ref: '#/$defs/a' },
  { type: 'object', properties: {}, required: ['a'] },
  { type: 'object', properties: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`a${at}`, {}])) },
]

for (const schema of tooHard) {
  test(`arguments with the schema ${JSON.stringify(schema).slice(0, 60)} are asked for as JSON`, (t) => {
    t.is(fieldsOf(schema), undefined)
  })
}

test('a tool without arguments has a form without fields', (t) => {
  t.deepEqual(fieldsOf({ type: 'object', additionalProperties: false }), [])
})

const fields =
  fieldsOf({
    type: 'object',
    properties: {
      title: { type: 'string' },
      count: { type: 'integer' },
      price: { type: 'number' },
      open: { type: 'boolean' },
      kind: { enum: ['bug', 7] },
      labels: { type: 'array' },
      parts: { type: 'array', items: { enum: ['a', 7] } },
      // An object literal would set the prototype.
      ...(JSON.parse('{"__proto__": {"type": "string"}}') as object),
    },
    required: ['title'],
  }) ?? []

test('arguments become JSON with the digits that were typed, and without what was left empty', (t) => {
  const typed = new Map([
    ['title', ' "a" \n'],
    ['count', '12345678901234567890'],
    ['price', '1.50'],
    ['open', 'false'],
    ['kind', '7'],
    ['labels', ' ["a"] '],
    ['parts', chosenAs(['7', '"a"'])],
    ['__proto__', 'b'],
  ])
  t.deepEqual(composed(fields, typed), {
    json: String.raw`{"title":" \"a\" \n","count":12345678901234567890,"price":1.50,"open":false,"kind":7,"labels":["a"],"parts":[7,"a"],"__proto__":"b"}`,
  })
  t.deepEqual(
    composed(
      fields,
      new Map([
        ['title', 'a'],
        ['count', '  '],
      ]),
    ),
    { json: '{"title":"a"}' },
  )
})

test('each argument that cannot be sent has its problem', (t) => {
  const typed = new Map([
    ['count', '1.5'],
    ['price', '1,5'],
    ['labels', '[a]'],
  ])
  const made = composed(fields, typed)
  t.deepEqual('problems' in made ? [...made.problems] : made, [
    ['title', 'This argument is required.'],
    ['count', 'This must be a whole number.'],
    ['price', 'This must be a number.'],
    ['labels', 'This must be JSON, such as ["a", "b"] or {"a": 1}.'],
  ])
})

for (const [text, isFine] of [
  ['{}', true],
  [' {"a": 1}\n', true],
  ['[]', false],
  ['{a: 1}', false],
  ['', false],
] as const) {
  test(`${JSON.stringify(text)} ${isFine ? 'can' : 'cannot'} be the arguments of a call`, (t) => {
    t.is(jsonProblem(text) === undefined, isFine)
  })
}
