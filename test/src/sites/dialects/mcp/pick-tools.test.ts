import test from 'ava'
import { pickTools } from '../../../../../src/sites/dialects/mcp/pick-tools.ts'

const tool = (name: string, schema: object = {}, more: object = {}) => ({
  name,
  inputSchema: { type: 'object', ...schema },
  ...more,
})

/** The schema of the only tool, or what is wrong with it. */
function schemaOf(schema: object): unknown {
  const { usable, leftOut } = pickTools([tool('one', schema)])
  return usable[0]?.inputSchema ?? leftOut[0]?.problem
}

test('references of a schema to its own parts are replaced by these parts', (t) => {
  const $defs = {
    Place: { type: 'object', properties: { name: { $ref: '#/$defs/a~1b%20c' } } },
    'a/b c': { type: 'string' },
  }
  const place = { type: 'object', properties: { name: { type: 'string' } } }
  const properties = {
    from: { $ref: '#/$defs/Place', description: 'Where it begins.' },
    to: { type: 'array', items: { $ref: '#/properties/from' } },
    limited: { $ref: '#/$defs/Place', maxProperties: 1, allOf: [true] },
    // A property of this name is no reference.
    $ref: { type: 'string', const: { $ref: '#/nowhere' } },
  }
  t.deepEqual(schemaOf({ properties, $defs }), {
    type: 'object',
    properties: {
      from: { ...place, description: 'Where it begins.' },
      to: { type: 'array', items: { ...place, description: 'Where it begins.' } },
      limited: { maxProperties: 1, allOf: [true, place] },
      $ref: properties.$ref,
    },
  })
})

test('a tool is left out if its schema refers to itself, elsewhere, to nothing, or to too much', (t) => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } }
  const chain = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, { $ref: `#/$defs/${at + 1}` }]))
  const doubled = Object.fromEntries(
    Array.from({ length: 18 }, (_, at) => [
      at,
      { allOf: [{ $ref: `#/$defs/${at + 1}` }, { $ref: `#/$defs/${at + 1}` }] },
    ]),
  )
  const long = { Long: { type: 'string', description: 'x'.repeat(1000) } }
  const cases: [object, RegExp][] = [
    [
      { properties: { a: { $ref: '#/$defs/Node' } }, $defs: { Node: node } },
      /next\.\$ref" is a reference of a schema to itself/,
    ],
    [{ properties: { a: { $ref: '#' } } }, /to itself/],
    [{ properties: { a: { $ref: 'https://example.com/schema' } } }, /to another document/],
    [{ properties: { a: { $ref: '#anchor' } } }, /to another document/],
    [{ properties: { a: { $ref: 7 } } }, /to another document/],
    [{ properties: { a: { $ref: '#/$defs/Missing' } } }, /refers to no schema/],
    [{ properties: { a: { $ref: '#/__proto__' } } }, /refers to no schema/],
    [{ properties: { a: { $dynamicRef: '#a' } } }, /references are not supported/],
    [{ properties: { a: { $ref: '#/$defs/0' } }, $defs: { ...chain, 30: true } }, /more than 20 references/],
    [
      { properties: { a: { $ref: '#/$defs/0' } }, $defs: { ...doubled, 18: true } },
      /at most 1000 schemas|characters in total/,
    ],
    [
      {
        properties: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { $ref: '#/$defs/Long' }])),
        $defs: long,
      },
      /exceed 262144 characters/,
    ],
  ]
  for (const [schema, problem] of cases) t.regex(String(schemaOf(schema)), problem)
})

test('tools that cannot be used are left out with the reason, and cost the others nothing', (t) => {
  const pattern = (length: number) => ({ properties: { a: { pattern: 'x'.repeat(length) } } })
  const { usable, leftOut } = pickTools([
    'no tool',
    tool('with spaces\u202e\n'),
    tool('x'.repeat(129)),
    { name: 7 },
    tool('one'),
    tool('one'),
    { name: 'text', inputSchema: { type: 'string' } },
    { name: 'none' },
    tool('too_many_patterns', pattern(70_000)),
    tool('some_patterns', pattern(100)),
    tool('half', { title: '\ud800' }),
    tool('out', {}, { outputSchema: { type: 'object', properties: { a: { $ref: '#' } } } }),
    tool('checked', {}, { outputSchema: { type: 'object', required: ['a'] } }),
  ])
  t.deepEqual(
    usable.map(({ name, outputSchema }) => [name, outputSchema]),
    [
      ['one', undefined],
      ['some_patterns', undefined],
      ['out', undefined],
      ['checked', { type: 'object', required: ['a'] }],
    ],
  )
  const nameRule = '"name" must have 1 to 128 letters, digits and the signs _ - . /'
  t.deepEqual(
    leftOut.map(({ name, problem }) => [name, problem]),
    [
      ['#1', 'must be an object'],
      ['with spaces ', nameRule],
      [`${'x'.repeat(128)}…`, nameRule],
      ['#4', nameRule],
      ['one', '"name" duplicates an earlier tool\'s name'],
      ['text', '"inputSchema.type" must be "object"'],
      ['none', '"inputSchema" must be an object'],
      ['too_many_patterns', leftOut[7]?.problem],
      ['half', '"inputSchema.title" contains the character U+0000 or half of a surrogate pair'],
    ],
  )
  t.regex(leftOut[7]?.problem ?? '', /pattern/)
})

test('the first two hundred tools are used', (t) => {
  const { usable, leftOut } = pickTools(Array.from({ length: 203 }, (_, at) => tool(`tool_${at}`)))
  t.is(usable.length, 200)
  t.deepEqual(leftOut[0], { name: 'tool_200', problem: 'is beyond the first 200 tools' })
})

test('a tool whose parameters for headers break the rules is left out', (t) => {
  const header = 'x-mcp-header'
  const cases: [object, RegExp][] = [
    [{ [header]: 'A' }, /only allowed for a property/],
    [{ properties: { a: { type: 'array', items: { type: 'string', [header]: 'A' } } } }, /only allowed for a property/],
    [{ properties: { a: { type: 'string', [header]: 'A\r\nB' } } }, /must be a name/],
    [{ properties: { a: { type: 'number', [header]: 'A' } } }, /only allowed for a string/],
    [{ properties: { a: { type: 'string', [header]: 'A' }, b: { type: 'string', [header]: 'a' } } }, /duplicates/],
  ]
  for (const [schema, problem] of cases) t.regex(String(schemaOf(schema)), problem)
  const fine = { properties: { a: { type: 'object', properties: { b: { type: 'integer', [header]: 'B' } } } } }
  t.deepEqual(schemaOf(fine), { type: 'object', ...fine })
})
