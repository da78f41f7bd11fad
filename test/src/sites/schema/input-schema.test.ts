import test from 'ava'
import { inputSchemaProblems } from '../../../../src/sites/schema/input-schema.ts'

const places = (schema: unknown) => inputSchemaProblems(schema).map(({ path }) => path)
const property = (schema: unknown) => ({ type: 'object', properties: { a: schema } })

const everything = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'not even an address',
  title: 'Everything',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 10, pattern: '^[\\w.-]+\\u00e9?$', format: 'made-up' },
    count: { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 10.5, multipleOf: 0.5, default: 3 },
    list: { type: 'array', items: { enum: ['a', 1, null] }, prefixItems: [true], uniqueItems: true, minItems: 0 },
    choice: { oneOf: [{ const: { a: 1 } }, { not: { type: 'string' } }], nullable: true },
    $ref: { type: 'string', description: 'a property that happens to be called so' },
    constructor: { type: 'string' },
  },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  patternProperties: { '^x-': { if: { type: 'string' }, then: { minLength: 2 }, else: false } },
  required: ['name', 'constructor'],
  dependentRequired: { name: ['count'] },
  dependentSchemas: { count: { required: ['list'] } },
  additionalProperties: false,
  examples: [{ $ref: '#/data' }],
  minProperties: 1,
}

test('a schema of all keywords and a few unknown ones has no problems', (t) => {
  t.deepEqual(inputSchemaProblems(everything), [])
  t.deepEqual(inputSchemaProblems({ type: 'object' }), [])
})

const wrong: [rule: string, schema: unknown, places: string[]][] = [
  ['a schema is an object', null, ['']],
  ['a schema is not true', true, ['']],
  ['the type is object', { type: 'string' }, ['type']],
  ['the type is one alone', { type: ['object', 'null'] }, ['type']],
  ['types are known', property({ type: 'date' }), ['properties.a.type']],
  ['types in a list are known', property({ type: ['string', 'file'] }), ['properties.a.type']],
  ['properties are an object', { type: 'object', properties: [] }, ['properties']],
  ['a property is a schema', property('string'), ['properties.a']],
  ['required is a list', property({ required: true }), ['properties.a.required']],
  ['required names strings', { type: 'object', required: ['a', 1] }, ['required']],
  ['anyOf is a list', property({ anyOf: { 0: true } }), ['properties.a.anyOf']],
  ['allOf is not empty', property({ allOf: [] }), ['properties.a.allOf']],
  [
    'lengths are whole numbers',
    property({ minLength: -1, maxLength: 1.5, minItems: '3' }),
    ['properties.a.minLength', 'properties.a.maxLength', 'properties.a.minItems'],
  ],
  [
    'bounds are numbers',
    property({ minimum: '0', exclusiveMaximum: true, maximum: Infinity }),
    ['properties.a.minimum', 'properties.a.exclusiveMaximum', 'properties.a.maximum'],
  ],
  ['uniqueItems is a flag', property({ uniqueItems: 'yes' }), ['properties.a.uniqueItems']],
  ['format is a text', property({ format: {} }), ['properties.a.format']],
  ['dependentRequired names properties', { type: 'object', dependentRequired: { a: 'b' } }, ['dependentRequired']],
  ['pattern compiles', property({ pattern: '[a' }), ['properties.a.pattern']],
  [
    'pattern looks neither ahead nor back',
    property({ allOf: [{ pattern: '(?=a)' }, { pattern: '(a)\\1' }] }),
    ['properties.a.allOf.0.pattern', 'properties.a.allOf.1.pattern'],
  ],
  ['pattern is bounded', property({ pattern: 'a'.repeat(501) }), ['properties.a.pattern']],
  ['a pattern is small when compiled', property({ pattern: '(?:a{1000}){1}b{1000}c{1000}' }), ['properties.a.pattern']],
  ['patterns of names compile', { type: 'object', patternProperties: { '(': true } }, ['patternProperties.(']],
  ['$ref is not supported', property({ $ref: '#' }), ['properties.a.$ref']],
  ['$dynamicRef is not supported', property({ $dynamicRef: '#a' }), ['properties.a.$dynamicRef']],
  ['$recursiveRef is not supported', { type: 'object', $recursiveRef: '#' }, ['$recursiveRef']],
  ['definitions are looked into', { type: 'object', $defs: { x: { $ref: 'https://a.example' } } }, ['$defs.x.$ref']],
]
test('what is wrong with a schema is told by its places', (t) => {
  for (const [rule, schema, expected] of wrong) t.deepEqual(places(schema), expected, rule)
})

const ofOne =
  'items additionalProperties unevaluatedProperties unevaluatedItems propertyNames contains not if then else'.split(' ')
const ofSeveral = 'prefixItems allOf anyOf oneOf'.split(' ')

test('a reference is found inside every keyword that holds schemas', (t) => {
  for (const keyword of ofOne) t.deepEqual(places({ type: 'object', [keyword]: { $ref: '#' } }), [`${keyword}.$ref`])
  for (const keyword of ofSeveral)
    t.deepEqual(places({ type: 'object', [keyword]: [true, { $ref: '#' }] }), [`${keyword}.1.$ref`])
})

const nest = (levels: number): unknown => (levels === 0 ? {} : { not: nest(levels - 1) })

test('twenty schemas inside one another are the limit, however many more there are', (t) => {
  t.deepEqual(places({ type: 'object', not: nest(18) }), [])
  t.deepEqual(places({ type: 'object', not: nest(19) }), [Array(20).fill('not').join('.')])
  let deep: unknown = {}
  for (let i = 0; i < 50_000; i++) deep = { properties: { a: deep } }
  t.is(places({ type: 'object', not: deep }).length, 1)
})

test('a thousand schemas are the limit, said once', (t) => {
  const many = (count: number) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
  })
  t.deepEqual(places(many(999)), [])
  t.deepEqual(places(many(3_000)), ['properties.p999'])
  t.is(places(property({ anyOf: Array(500).fill(0) })).length, 20, 'of the places that are wrong twenty are named')
})

test('constants are bounded together', (t) => {
  const halves = { enum: ['x'.repeat(17_000)] }
  t.deepEqual(places({ type: 'object', properties: { a: halves } }), [])
  t.deepEqual(places({ type: 'object', properties: { a: halves, b: halves, c: halves } }), ['properties.b.enum'])
})

test('names from Object.prototype are neither keywords nor schemas', (t) => {
  t.deepEqual(places({ type: 'object', constructor: 5, toString: { $ref: '#' }, hasOwnProperty: [] }), [])
})
