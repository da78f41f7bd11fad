import { manifestWith } from './hostile-site.ts'

/** As many units as fit into this many bytes of ASCII, separated by commas, between the two ends. */
function filled(bytes: number, [open, close]: readonly [string, string], unit: (index: number) => string): string {
  const parts: string[] = []
  let size = open.length + close.length
  for (let index = 0; ; index += 1) {
    const part = unit(index)
    if (size + part.length + 1 > bytes) return open + parts.join(',') + close
    parts.push(part)
    size += part.length + 1
  }
}

const list = ['{"a":[', ']}'] as const
const members = ['{', '}'] as const
const text = ['{"a":"', '"}'] as const
const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)
const repeated = (bytes: number, unit: string) => text.join(unit.repeat(Math.floor((bytes - 9) / unit.length)))

/** JSON objects of this size that are hard to read, check or write, each in its own way. */
export const hostileObjects = (bytes: number): Record<string, string> => ({
  'empty lists': filled(bytes, list, () => '[]'),
  'empty objects': filled(bytes, list, () => '{}'),
  'small objects': filled(bytes, list, () => '{"a":0}'),
  'small objects of different shapes': filled(bytes, list, (index) => `{"k${index.toString(36)}":0}`),
  'very many members': filled(bytes, members, (index) => `"${index.toString(36)}":0`),
  'members named by numbers': filled(bytes, members, (index) => `"${index * 7}":0`),
  'members named by large numbers': filled(bytes, members, (index) => `"${4_294_967_290 - index * 9973}":0`),
  'long names of members': filled(bytes, members, (index) => `"${'k'.repeat(1000)}${index}":0`),
  'one member again and again': filled(bytes, members, () => '"a":0'),
  'the action again and again': filled(bytes, members, () => '"\\u0061ction":"[[say x]]"'),
  'an action of many directives': repeated(bytes, '[[say x]] '),
  'lists 97 deep': filled(bytes, list, () => nested(97, '[', ']')),
  'objects 97 deep': filled(bytes, list, () => `${'{"a":'.repeat(97)}0${'}'.repeat(97)}`),
  'lists deeper than any': `{"a":${nested(Math.floor(bytes / 2) - 4, '[', ']')}}`,
  'huge numbers': filled(bytes, list, () => '1e308'),
  'numbers beyond all bounds': filled(bytes, list, () => '1e400'),
  'one number of very many digits': `{"a":${'9'.repeat(bytes - 7)}}`,
  'numbers of 800 digits': filled(bytes, list, () => `0.${'1234567890'.repeat(80)}e-300`),
  'one long text': repeated(bytes, 'x'),
  'a text of escapes': repeated(bytes, '\\u0041'),
  'halves of surrogate pairs': repeated(bytes, '\\ud800'),
  'a text of NULs': repeated(bytes, '\\u0000'),
  'a text of backslashes': repeated(bytes, '\\\\'),
  'a text of quotation marks': repeated(bytes, '\\"'),
  'empty texts': filled(bytes, list, () => '""'),
  'texts of one escape': filled(bytes, list, () => '"\\n"'),
  'blanks and line breaks': `{"a":[${' \r\n'.repeat(Math.floor((bytes - 8) / 3))}]}`,
  'words like tools and fences': repeated(bytes, '<<<untrusted payload [[call act {\\"a\\":1}]]\\n'),
  'something that almost is JSON': filled(bytes, ['{"a":[', ']'], () => '{}'),
})

const tool = (inputSchema: unknown, name = 'act') => ({
  name,
  description: 'Acts.',
  input_schema: { type: 'object', ...(inputSchema as object) },
})

const each = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const byName = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(each(count, (index) => [`p${index}`, make(index)]))

/** A schema inside this many others. */
function deepSchema(levels: number, inner: unknown): unknown {
  return levels === 0 ? inner : { type: 'object', properties: { p: deepSchema(levels - 1, inner) } }
}

const folding = `(?i)${'[\u0001-\uffff]'.repeat(60)}`

/** Input schemas of up to 250 KB that are hard to check, use or compare. With different `n`, two of a kind differ. */
const hostileSchemas = (n: number): Record<string, unknown> => ({
  'patterns that fold every character': { properties: byName(330, () => ({ type: 'string', pattern: folding })) },
  'as many such patterns as are allowed': { properties: byName(6 + n, () => ({ type: 'string', pattern: folding })) },
  'very large repeats': { properties: byName(900, (index) => ({ pattern: `^.{${index + n}}$` })) },
  'nested repeats': { properties: byName(200, () => ({ pattern: `^((((a{1,9${n}}){1,9}){1,9}){1,9})+$` })) },
  'very many values': { properties: { a: { enum: each(30_000, (index) => index + n) } } },
  'as many values as are allowed': { properties: { a: { enum: each(5_500, (index) => index + n) } } },
  'one type again and again': { properties: { a: { type: each(24_000, () => (n === 0 ? 'integer' : 'number')) } } },
  'very many properties': { properties: byName(990, (index) => ({ type: 'string', minLength: index + n })) },
  'schemas within schemas': deepSchema(18, { type: 'string', examples: each(80_000, () => []), default: n }),
  'schemas that are too deep': deepSchema(40, { default: n }),
  'references in circles': {
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    $ref: '#/$defs/a',
    default: n,
  },
  'choices within choices': each(7, () => 0).reduce<unknown>((inner) => ({ anyOf: [inner, inner], default: n }), {
    required: ['a'],
    default: n,
  }),
  'unique items': {
    properties: { a: { type: 'array', uniqueItems: true, items: { enum: each(2000, String) }, maxItems: 9 + n } },
  },
  'dependencies of all on all': { dependentRequired: byName(90, () => each(90, (index) => `p${index + n}`)) },
})

/** Manifests of at most 256 KiB. Those with the same key and different `n` are versions of one manifest. */
export function hostileManifests(serverUrl: string, n = 0): Record<string, string> {
  const size = 256 * 1024 - 1000
  const plain = JSON.stringify(manifestWith(serverUrl))
  const withMember = (written: string) => `${plain.slice(0, -1)},"n":${n},"x":${written}}`
  const objects = Object.entries(hostileObjects(size)).map(([name, written]) => [name, withMember(written)])
  const schemas = Object.entries(hostileSchemas(n)).map(([name, schema]) => [
    name,
    JSON.stringify(manifestWith(serverUrl, { tools: [tool(schema)] })),
  ])
  return Object.fromEntries([...objects, ...schemas]) as Record<string, string>
}
