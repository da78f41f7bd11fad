import test from 'ava'
import { fieldsOfSchema } from '../../../src/webhooks/schema-fields.ts'

const title = { type: 'string', description: 'The title' }

const readable: [schema: unknown, fields: unknown][] = [
  [[{ name: 'a' }], [{ name: 'a' }]],
  ['text', 'text'],
  [{ type: 'object' }, []],
  [
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { title, n: { type: 'number' } },
      required: ['title'],
      additionalProperties: true,
    },
    [
      { name: 'title', type: 'string', required: true, description: 'The title' },
      { name: 'n', type: 'number', required: false },
    ],
  ],
]

const saysMore: [what: string, schema: object][] = [
  ['another type', { type: 'array' }],
  ['no type', { properties: { title } }],
  ['a rule for other members', { type: 'object', properties: { title }, additionalProperties: false }],
  ['another rule', { type: 'object', minProperties: 1 }],
  ['properties that are a list', { type: 'object', properties: [title] }],
  ['a required member without a property', { type: 'object', required: ['title'] }],
  ['a required list that is none', { type: 'object', required: 'title' }],
  ['a rule for a property', { type: 'object', properties: { title: { ...title, maxLength: 3 } } }],
  ['a property that is no object', { type: 'object', properties: { title: true } }],
]

test('a JSON Schema that says no more than a list of fields is read as one', (t) => {
  for (const [schema, fields] of readable) t.deepEqual(fieldsOfSchema(schema), fields)
})

test('a JSON Schema that says more is not read as a list of fields', (t) => {
  for (const [what, schema] of saysMore) t.is(fieldsOfSchema(schema), undefined, what)
})
