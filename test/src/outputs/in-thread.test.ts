import test from 'ava'
import { checkOutputSchema, readOutput } from '../../../src/outputs/in-thread.ts'

const issue = { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] }

const read = (answer: string, schema: unknown = issue) => readOutput({ schema: JSON.stringify(schema), answer })

const problems = (answer: string, schema?: unknown) => {
  const result = read(answer, schema)
  return 'problems' in result ? result.problems : []
}

test('an answer is one JSON value, with whitespace and a fence around it at most', (t) => {
  const fitting = [
    '{"issue":1}',
    ' \n{"issue": 1}\n',
    '```json\n{"issue":1}\n```',
    '```\n{"issue":1}```',
    '```JSON {"issue":1} ```\n',
  ]
  for (const answer of fitting) t.deepEqual(read(answer), { output: '{"issue":1}' }, answer)
  const others = [
    'Here it is: {"issue":1}',
    '{"issue":1} I hope this helps.',
    'Here:\n```json\n{"issue":1}\n```',
    '```json\n{"issue":1}\n```\nDone.',
    '```js\n{"issue":1}\n```',
    '```json\n{"issue":1}',
    '```',
    '{"issue":1,}',
    '',
  ]
  const message = 'must be a single JSON value with no text before or after it'
  for (const answer of others) t.deepEqual(problems(answer), [{ path: '', message }], answer)
})

test('what does not fit is named by its place', (t) => {
  t.deepEqual(problems('{"issue":"one"}'), [{ path: 'issue', message: 'has the type "string", expected "integer"' }])
  t.deepEqual(problems('{}'), [{ path: '', message: 'does not have required property "issue"' }])
  t.deepEqual(problems('[]'), [{ path: '', message: 'has the type "array", expected "object"' }])
})

test('any JSON value may be asked for', (t) => {
  const values: [schema: object, answer: string][] = [
    [{ type: 'array', items: { type: 'string' } }, '["a"]'],
    [{ enum: ['low', 'high'] }, '"low"'],
    [{ type: 'number', minimum: 1 }, '1.50'],
    [{ type: 'boolean' }, 'true'],
    [{ const: null }, 'null'],
    [{}, '"```"'],
  ]
  for (const [schema, answer] of values) {
    t.deepEqual(checkOutputSchema(JSON.stringify(schema)), [])
    t.deepEqual(read(answer, schema), { output: answer })
  }
  t.is(problems('"middle"', { enum: ['low', 'high'] }).length, 1)
})

test('numbers stay as they were written, and of members that occur twice the one that was checked stays', (t) => {
  const long = '{"a":[9007199254740993,1.10,-0,1e400,123456789012345678901234567890]}'
  t.deepEqual(read(long, {}), { output: long })
  t.deepEqual(read('{"issue":"x","issue": 9007199254740993}'), { output: '{"issue":9007199254740993}' })
  t.deepEqual(read('{"__proto__": {"issue": "x"}, "issue": 1}'), { output: '{"__proto__":{"issue":"x"},"issue":1}' })
})

test('an answer that cannot be kept or handled is refused in time', (t) => {
  t.deepEqual(problems('['.repeat(100_000)), [{ path: '', message: 'must not be nested more than 100 levels deep' }])
  t.regex(problems('"\\u0000"', {})[0]?.message ?? '', /U\+0000/)
  const unique = { type: 'array', uniqueItems: true }
  const many = JSON.stringify(Array.from({ length: 40_000 }, (_, index) => [index]))
  t.deepEqual(problems(many, unique), [{ path: '', message: 'is too large to check against the JSON Schema' }])
  // The engine of JavaScript would not live to see the end of this.
  t.is(problems(JSON.stringify('a'.repeat(50_000) + '!'), { pattern: '^(a+)+$' }).length, 1)
})

test('a schema is refused for what those of tools are refused for', (t) => {
  const places = (schema: unknown) => checkOutputSchema(JSON.stringify(schema)).map(({ path }) => path)
  t.deepEqual(places(issue), [])
  t.deepEqual(places({ $ref: '#/$defs/a' }), ['$ref'])
  t.deepEqual(places({ type: 'thing' }), ['type'])
  t.deepEqual(places({ properties: { a: { pattern: '(?=x)' }, b: 5 } }), ['properties.a.pattern', 'properties.b'])
  const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) })
  t.deepEqual(places(deep(30)), [Array.from({ length: 20 }, () => 'items').join('.')])
})
