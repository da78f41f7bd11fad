import test from 'ava'
import type { ProviderKind } from '../../../../src/config/models-config.ts'
import { fitSchema, maxSchemaBytes } from '../../../../src/models/offer/fit-schema.ts'
import { fitName, siteNamesIn } from '../../../../src/models/offer/property-names.ts'
import { sentTool } from '../../../../src/models/offer/model-tool.ts'

const fitted = (schema: object, kind: ProviderKind = 'openai') => fitSchema({ type: 'object', ...schema }, kind).schema

const inside = (schema: unknown, kind?: ProviderKind) => fitted({ properties: { a: schema } }, kind)['properties']

test('what no provider takes at the top is told apart, with the properties that it tells of', (t) => {
  const text = { type: 'string' }
  const consequence = JSON.parse('{"then":{"required":["y"]}}') as object
  const rows: [object, object, object][] = [
    [
      { properties: { id: text, name: text }, anyOf: [{ required: ['id'] }, { required: ['name'] }] },
      { properties: { id: text, name: text } },
      { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
    ],
    [
      {
        oneOf: [
          { properties: { k: { const: 'a' }, x: text }, required: ['k', 'x'] },
          { properties: { k: { const: 'b' } }, required: ['k'] },
        ],
      },
      {
        properties: {
          k: {
            anyOf: [
              { type: 'string', const: 'a' },
              { type: 'string', const: 'b' },
            ],
          },
          x: text,
        },
        required: ['k'],
      },
      {
        oneOf: [
          { properties: { k: { type: 'string', const: 'a' } }, required: ['k', 'x'] },
          { properties: { k: { type: 'string', const: 'b' } }, required: ['k'] },
        ],
      },
    ],
    [
      { allOf: [{ properties: { id: text }, required: ['id'] }], not: { required: ['x'] } },
      { properties: { id: text }, required: ['id'] },
      { allOf: [{ required: ['id'] }], not: { required: ['x'] } },
    ],
    [
      { if: { properties: { k: { const: 1 } } }, ...consequence, else: { properties: { z: text } } },
      { properties: { y: {}, z: text, k: {} } },
      { if: { properties: { k: { const: 1 } } }, ...consequence, else: {} },
    ],
    [{ enum: [{ a: 1 }], const: { a: 1 } }, { properties: {} }, { enum: [{ a: 1 }], const: { a: 1 } }],
    [
      { dependentSchemas: { a: { properties: { b: text }, required: ['b'] } } },
      { properties: { b: text } },
      { dependentSchemas: { a: { required: ['b'] } } },
    ],
  ]
  for (const [given, schema, conditions] of rows) {
    const result = fitSchema({ type: 'object', ...given }, 'anthropic')
    t.deepEqual(result.schema, { type: 'object', ...schema })
    t.deepEqual(result.conditions, conditions)
    t.true(result.changes.length > 0)
  }
})

test('a condition stands in the description of its tool, unless it is too long for it', (t) => {
  const described = (anyOf: object[]) =>
    String(
      sentTool({ name: 'n', description: 'x'.repeat(4000), inputSchema: { type: 'object', anyOf } }, 'openai').tool
        .description,
    )
  t.regex(
    described([{ required: ['a'] }]),
    /must also match this JSON Schema from the site: \{"anyOf":\[\{"required":\["a"\]\}\]\}$/,
  )
  t.regex(
    described(Array.from({ length: 50 }, (_, index) => ({ required: [`property${index}`] }))),
    /its result says which rule it breaks\.$/,
  )
  for (const count of [1, 10, 50])
    t.true(described(Array.from({ length: count }, () => ({ required: ['a<<<b'] }))).length <= 1024)
  t.notRegex(described([{ required: ['<<<end 0>>>\u200B'] }]), /<<<|>>>|\u200B/)
})

test('schemas inside are written as all providers take them', (t) => {
  const rows: [unknown, unknown, ProviderKind?][] = [
    [true, {}],
    [{ type: 'array' }, { type: 'array', items: {} }],
    [
      { prefixItems: [true, false], items: false },
      { type: 'array', prefixItems: [{}, { not: {} }], items: {} },
    ],
    [{ type: ['string', 'string', 'null'] }, { type: ['string', 'null'] }],
    [{ type: ['string'] }, { type: 'string' }],
    [{ enum: ['x', 'y'] }, { type: 'string', enum: ['x', 'y'] }],
    [{ enum: [1, 2] }, { enum: [1, 2] }],
    [{ type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of: 1,2.' }, 'google'],
    [{ properties: { b: false, c: true } }, { type: 'object', properties: { c: {} } }],
    [{ type: 'object', required: [] }, { type: 'object' }],
    [
      { type: 'object', required: ['x', 'x'] },
      { type: 'object', properties: { x: {} }, required: ['x'] },
    ],
    [
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      { type: 'string', format: 'email', description: 'Whose.' },
      { type: 'string', description: 'Whose. Format: email.' },
    ],
    [
      { type: 'string', pattern: '^[a-z]+$' },
      { type: 'string', pattern: '^[a-z]+$' },
    ],
    [
      { type: 'string', pattern: 'abc' },
      { type: 'string', description: 'Pattern: "abc".' },
    ],
    [
      { type: 'string', pattern: '^(?i)a$' },
      { type: 'string', description: 'Pattern: "^(?i)a$".' },
    ],
    [
      { type: 'string', pattern: '^[a&&[b]$' },
      { type: 'string', pattern: '^[a&&[b]$' },
    ],
    [{ type: 'string', $defs: { x: true }, $comment: 'no' }, { type: 'string' }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ]
  for (const [given, wanted, kind] of rows) t.deepEqual(inside(given, kind), { a: wanted }, JSON.stringify(given))
})

test('names of properties that providers refuse are fitted, wherever they stand, and go back to the site', (t) => {
  const schema = {
    type: 'object',
    properties: {
      'user name': true,
      $filter: { type: 'object', properties: { größe: { description: 'How big.' } } },
      user_name: {},
    },
    required: ['user name'],
    dependentRequired: { 'user name': ['$filter'] },
  }
  const { schema: sent, names } = fitSchema(schema, 'google')
  const [user, filter, size] = ['user name', '$filter', 'größe'].map(fitName) as [string, string, string]
  t.deepEqual(sent, {
    type: 'object',
    properties: {
      [user]: { description: 'Original name: "user name".' },
      [filter]: {
        type: 'object',
        properties: { [size]: { description: 'Original name: "größe". How big.' } },
        description: 'Original name: "$filter".',
      },
      user_name: {},
    },
    required: [user],
    dependentRequired: { [user]: [filter] },
  })
  const given = `{"${user}":1.50,"user_name":"${user}","${filter}":[{"${size}":12345678901234567890}]}`
  t.is(siteNamesIn(given, names), `{"user name":1.50,"user_name":"${user}","$filter":[{"größe":12345678901234567890}]}`)
  t.is(siteNamesIn('{"user name": 1}', names), '{"user name": 1}')
  t.is(siteNamesIn(`{"${user}":`, names), `{"${user}":`)
})

test('a fitted name is taken by all providers, and different names stay different', (t) => {
  const given = ['', ' ', '$', '€', 'a b', 'a_b', 'a  b', 'größe', 'x'.repeat(65), 'x'.repeat(66), '__proto__', 'a.b-c']
  const safe = given.map(fitName)
  for (const name of safe) t.regex(name, /^[a-zA-Z0-9_.-]{1,64}$/)
  t.is(new Set(safe).size, given.length)
  t.deepEqual([fitName('a_b'), fitName('a.b-c'), fitName('__proto__')], ['a_b', 'a.b-c', '__proto__'])
})

test('of a schema that is very deep or very long, fewer levels are sent', (t) => {
  const deep = (levels: number): object =>
    levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(levels - 1) } }
  const depthOf = (value: unknown): number => JSON.stringify(value).split('"properties"').length - 1
  t.is(depthOf(fitted(deep(8))), 8)
  t.is(depthOf(fitted(deep(19))), 11)
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, deep(8)]))
  t.true(JSON.stringify(fitted({ properties: wide })).length <= maxSchemaBytes)
})

test('of a list of names the first thousand are read, because a site may write as many as its manifest has room for', (t) => {
  const required = Array.from({ length: 30_000 }, (_, index) => `é${index}`)
  t.is(fitSchema({ type: 'object', required }, 'openai').names.size, 1000)
})
