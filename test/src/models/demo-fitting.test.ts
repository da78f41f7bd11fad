import test from 'ava'
import { fittingValue } from '../../../src/models/demo/fitting-value.ts'
import { readOutput } from '../../../src/outputs/in-thread.ts'

const words = 'I did what I could.'

test('a simple schema gets a value that fits it', (t) => {
  const inner = { type: 'object', properties: { n: { type: 'integer', minimum: 2.5 } }, required: ['n'] }
  const values: [schema: unknown, value: unknown][] = [
    [{ type: 'string' }, words],
    [{ type: 'string', maxLength: 5 }, 'I did'],
    [{ type: 'string', minLength: 21 }, `${words}..`],
    [{ type: 'integer' }, 0],
    [inner, { n: 3 }],
    [{ type: 'number', exclusiveMinimum: 3 }, 4],
    [{ type: 'integer', maximum: -2 }, -2],
    [{ type: ['null', 'string'] }, null],
    [{ type: 'boolean' }, false],
    [{ enum: ['b', 'a'] }, 'b'],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ type: 'array', items: inner }, []],
    [{ type: 'array', items: inner, minItems: 2 }, [{ n: 3 }, { n: 3 }]],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 0],
    [{ type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: words }],
    [
      { properties: { a: {}, b: {} }, required: ['a', 'c'] },
      { a: words, c: words },
    ],
    [{ required: ['toString'] }, { toString: words }],
    [{}, words],
    [true, words],
  ]
  for (const [schema, value] of values) {
    t.deepEqual(fittingValue(schema, words), value, JSON.stringify(schema))
    const answer = JSON.stringify(value)
    t.deepEqual(readOutput({ schema: JSON.stringify(schema), answer }), { output: answer }, JSON.stringify(schema))
  }
})

test('a schema that asks for very much gets little', (t) => {
  const list = fittingValue({ type: 'array', minItems: 1e9, items: { type: 'null' } }, words)
  t.is((list as unknown[]).length, 100)
  t.is((fittingValue({ type: 'string', minLength: 1e9 }, words) as string).length, 1000)
})
