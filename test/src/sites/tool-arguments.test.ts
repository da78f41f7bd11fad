// @promise direct-calls
import { format, validate, type Schema } from '@cfworker/json-schema'
import test from 'ava'
import * as fc from 'fast-check'
import { inputSchemaProblems } from '../../../src/sites/schema/input-schema.ts'
import { argumentProblems } from '../../../src/sites/tool-arguments.ts'
import { fewOf } from './changes/few-keywords.ts'

const tooMuch = [{ path: '', message: "is too large to check against the tool's input schema" }]
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const places = (schema: unknown, args: unknown) => argumentProblems(schema, args).map(({ path }) => path)

const issue = object(
  {
    title: { type: 'string', minLength: 1 },
    labels: { type: 'array', items: { enum: ['bug', 'idea'] }, uniqueItems: true },
    due: { type: 'string', format: 'date' },
    slug: { type: 'string', pattern: '^[a-z-]+$' },
    author: object({ mail: { type: 'string', format: 'email' } }, { required: ['mail'] }),
  },
  { required: ['title'], additionalProperties: false },
)

test('every wrong place is named, with a sentence for the model to act on', (t) => {
  const fitting = {
    title: 'a',
    labels: ['bug'],
    due: '2026-11-21',
    slug: 'a-b',
    author: { mail: 'a@b.example', more: 1 },
  }
  t.deepEqual(argumentProblems(issue, fitting), [])
  const args = { title: '', labels: ['bug', 'x', 'bug'], due: 'soon', slug: 'A', author: {}, extra: 1 }
  t.deepEqual(argumentProblems(issue, args), [
    { path: 'title', message: 'is too short (0 < 1)' },
    { path: 'labels.1', message: 'does not match any of ["bug","idea"]' },
    { path: 'labels', message: 'Duplicate items at indexes 0 and 2' },
    { path: 'due', message: 'must have the format date' },
    { path: 'slug', message: 'must match the pattern ^[a-z-]+$' },
    { path: 'author', message: 'does not have required property "mail"' },
    { path: 'extra', message: 'is not allowed here' },
  ])
  t.deepEqual(argumentProblems(issue, {}), [{ path: '', message: 'does not have required property "title"' }])
  t.deepEqual(argumentProblems(issue, { title: 5 }), [
    { path: 'title', message: 'has the type "number", expected "string"' },
  ])
  for (const args of [null, [], 'a', undefined])
    t.deepEqual(argumentProblems({ type: 'object' }, args), [{ path: '', message: 'must be an object' }])
})

const word = fc.stringMatching(/^[ab1]{0,4}$/)
const leaf = fc.oneof(
  fc.record({ pattern: fc.constantFrom('^a', 'b$', '^[ab]*$', '\\d', '^(a|b1)+$') }),
  fc.record({ type: fc.constantFrom('string', 'number', ['string', 'null']) }),
  fc.record({ enum: fc.array(word, { maxLength: 3 }) }),
  fc.record({ minLength: fc.nat(3), pattern: fc.constantFrom('a', '1') }),
  fc.boolean(),
)
const { schema: anySchema } = fc.letrec((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, leaf, tie('compound')),
  compound: fewOf(
    {
      properties: fc.dictionary(word, tie('schema'), { maxKeys: 3 }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', '1', 'b$', '.'), tie('schema'), { maxKeys: 2 }),
      additionalProperties: tie('schema'),
      unevaluatedProperties: tie('schema'),
      propertyNames: leaf,
      items: tie('schema'),
      contains: tie('schema'),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      not: tie('schema'),
      required: fc.array(word, { maxLength: 2 }),
    },
    { least: 1, most: 4 },
  ),
}))
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, word, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
}))

test('keeping patterns from the validator changes no verdict', (t) => {
  fc.assert(
    fc.property(anySchema, fc.dictionary(word, anyValue, { maxKeys: 4 }), (inner, args) => {
      const schema = { type: 'object', allOf: [inner] }
      fc.pre(inputSchemaProblems(schema).length === 0)
      const native = validate(args, structuredClone(schema) as Schema, '2020-12', undefined, false)
      t.is(argumentProblems(schema, args).length === 0, native.valid, JSON.stringify({ schema, args }))
    }),
    { numRuns: 100 },
  )
})

/** The native engine would not come back from any of these. */
const catastrophic = ['^(a+)+$', '^(.*a){20}$']
const long = `${'a'.repeat(50_000)}!`

test('a pattern that backtracks for ever elsewhere is answered at once', (t) => {
  for (const pattern of catastrophic) {
    const properties = { a: { pattern }, b: { not: { not: { pattern } } } }
    const schema = object(properties, { patternProperties: { [pattern]: true } })
    t.deepEqual(inputSchemaProblems(schema), [])
    t.true(Array.isArray(argumentProblems(schema, { a: long, b: long, [`${'a'.repeat(400)}!`]: 1 })))
  }
})

test('patterns of large programs on long texts are given up, not waited for', (t) => {
  const schema = object({ a: { anyOf: Array.from({ length: 50 }, () => ({ pattern: 'a.{900}[cd]$' })) } })
  t.deepEqual(inputSchemaProblems(schema), [])
  t.deepEqual(argumentProblems(schema, { a: 'ab'.repeat(100_000) + 'e' }), tooMuch)
})

test('known formats are asserted, and left out for very long texts; others are annotations', (t) => {
  for (const name of ['date', 'time', 'date-time', 'duration', 'email', 'ipv4', 'ipv6', 'uuid', 'uri']) {
    const schema = object({ a: { format: name } })
    t.deepEqual(places(schema, { a: 'no such thing' }), ['a'], name)
    for (const part of ['a', ':', '%41', '"']) {
      t.deepEqual(places(schema, { a: part.repeat(100_000) }), [], name)
      t.true(places(schema, { a: `https://${part.repeat(500)}\n` }).length <= 1, name)
    }
  }
  for (const name of ['regex', '__proto__', 'text-rule:0'])
    t.deepEqual(argumentProblems(object({ a: { format: name } }), { a: '(((((' }), [], name)
})

test("nothing of a check stays in the validator's table of formats", (t) => {
  argumentProblems(issue, { slug: 'A', due: 'x' })
  t.throws(() => argumentProblems(object({ a: { pattern: '(' } }), { a: 'x' }), { code: 'MANIFEST_INVALID' })
  t.deepEqual(
    Object.keys(format).filter((name) => name.startsWith('text-rule')),
    [],
  )
})

test('names from Object.prototype are names like any other', (t) => {
  const schema = JSON.parse(
    '{"type":"object","required":["constructor"],"properties":{"constructor":{"type":"string"},"__proto__":{"type":"number"}},"additionalProperties":false}',
  ) as unknown
  t.deepEqual(argumentProblems(schema, JSON.parse('{"constructor":"a","__proto__":1}')), [])
  t.deepEqual(places(schema, {}), [''])
  const wrong = JSON.parse('{"constructor":1,"__proto__":"a","toString":1}') as unknown
  t.deepEqual(places(schema, wrong), ['constructor', '__proto__', 'toString'])
  t.is(({} as { type?: unknown }).type, undefined)
})

test('arguments that cannot be recorded are refused', (t) => {
  t.deepEqual(places({ type: 'object' }, { a: ['\0'] }), ['a.0'])
  t.deepEqual(places({ type: 'object' }, { a: '\ud800' }), ['a'])
  t.deepEqual(places({ type: 'object' }, { 'b\0': 1, ['c'.repeat(2_000)]: 1 }).length, 2)
})

test('very deep arguments are refused without a stack overflow', (t) => {
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = { a: deep }
  const schema = object({ a: { enum: [{ a: 1 }] } })
  t.deepEqual(argumentProblems(schema, deep), [{ path: '', message: 'must not be nested more than 100 levels deep' }])
})

const numbers = (length: number) => Array.from({ length }, (_, i) => i)

const costly: Record<string, [schema: object, args: object]> = {
  'many schemas on many values': [
    object({ a: { contains: { anyOf: numbers(900).map((minLength) => ({ minLength, type: 'string' })) } } }),
    { a: numbers(50_000) },
  ],
  'comparing all items of long lists': [object({ a: { uniqueItems: true } }), { a: numbers(50_000) }],
  'patterns of names on many objects': [
    { type: 'object', additionalProperties: { patternProperties: { '^k': { type: 'string' } } } },
    Object.fromEntries(numbers(5_000).map((n) => [`k${n}`, { [`k${n}x`]: 'a' }])),
  ],
}
test('what is costly is refused before it blocks the process', (t) => {
  for (const [title, [schema, args]] of Object.entries(costly)) {
    t.deepEqual(inputSchemaProblems(schema), [], title)
    t.deepEqual(argumentProblems(schema, args), tooMuch, title)
  }
})

test('at most twenty places are named, each in a short sentence', (t) => {
  const schema = object({ a: { items: { enum: ['x'.repeat(1_000)] } } })
  const problems = argumentProblems(schema, { a: numbers(100) })
  t.is(problems.length, 20)
  t.true(problems.every(({ message }) => message.length <= 301))
})
