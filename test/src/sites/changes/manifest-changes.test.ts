// @promise manifests
/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema, and schemas are not awaited */
import test from 'ava'
import * as fc from 'fast-check'
import type { ChangeClass } from '../../../../src/sites/changes/difference.ts'
import { compareManifests } from '../../../../src/sites/changes/manifest-changes.ts'
import { parseManifest } from '../../../../src/sites/dialects/manifest/parse-manifest.ts'
import type { Manifest } from '../../../../src/sites/manifest.ts'
import { argumentProblems } from '../../../../src/sites/tool-arguments.ts'
import { fewOf } from './few-keywords.ts'

type Json = Record<string, unknown>

const tool = (more: Json = {}): Json => ({
  name: 'search_things',
  description: 'Searches.',
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: [] },
  ...more,
})
const manifest = (more: Json = {}): Json => ({
  name: 'Site',
  version: '1',
  description: 'A site.',
  server: { url: 'https://site.example/api' },
  auth: { type: 'bearer' },
  tools: [tool()],
  ...more,
})
const oauth = (more: Json = {}): Json => ({
  type: 'oauth2',
  authorization_url: 'https://site.example/authorize',
  token_url: 'https://site.example/token',
  scopes: ['read'],
  ...more,
})

const parsed = (written: Json): Manifest => parseManifest(new TextEncoder().encode(JSON.stringify(written)))
const compared = (before: Json, after: Json) => compareManifests(parsed(before), parsed(after))

type Row = [what: string, expected: ChangeClass, before: Json, after: Json]
const site = (what: string, expected: ChangeClass, before: Json, after: Json): Row => [
  what,
  expected,
  manifest(before),
  manifest(after),
]
const tools = (what: string, expected: ChangeClass, before: Json[], after: Json[]): Row =>
  site(what, expected, { tools: before }, { tools: after })
const one = (what: string, expected: ChangeClass, before: Json, after: Json): Row =>
  tools(what, expected, [tool(before)], [tool(after)])
const auth = (what: string, expected: ChangeClass, before: Json, after: Json): Row =>
  site(what, expected, { auth: oauth(before) }, { auth: oauth(after) })

const issuer = { issuer: 'https://site.example' }
const revocation = { revocation_url: 'https://site.example/revoke' }

test('a tool needs no new scope where scopes decide nothing', (t) => {
  const own = { ...oauth({ scopes: [] }), resource: 'https://site.example/mcp' }
  const added = [tool(), tool({ name: 'send_things' })]
  const newScope = 'It needs the "write" scope, which no tool needed before.'
  for (const [signIn, expected, more] of [
    [{ type: 'none' }, 'compatible'],
    [own, 'compatible'],
    [{ ...own, scopes: ['read', 'write'] }, 'new_scope', newScope],
    [oauth({ scopes: [] }), 'new_scope', newScope],
    [{ type: 'bearer' }, 'new_scope', 'It may change things, which no tool did before.'],
  ] as const) {
    const [before, after] = [manifest(), manifest({ tools: added })].map((one) => ({ ...parsed(one), auth: signIn }))
    const found = compareManifests(before as Manifest, after as Manifest)
    t.is(found.class, expected)
    t.is(found.differences[0]?.message, ['A tool has been added.', more].filter(Boolean).join(' '))
  }
})

const manifestRows: Row[] = [
  site('nothing', 'none', {}, {}),
  ['the order of members', 'none', manifest(), Object.fromEntries(Object.entries(manifest()).toReversed())],
  site('the name', 'text', {}, { name: 'Other' }),
  site('an unknown member', 'text', {}, { contact: 'mail' }),
  tools('the order of tools', 'text', [tool(), tool({ name: 'get_it' })], [tool({ name: 'get_it' }), tool()]),
  tools('a new tool whose scope others need', 'compatible', [tool()], [tool(), tool({ name: 'get_it' })]),
  tools('a new tool that needs a new scope', 'new_scope', [tool()], [tool(), tool({ name: 'delete_it' })]),
  tools('a tool that is gone', 'breaking', [tool(), tool({ name: 'get_it' })], [tool()]),
  tools(
    'a tool named like an inherited member',
    'compatible',
    [tool()],
    [tool(), tool({ name: 'constructor', scope: 'read' })],
  ),
  one("a tool's description", 'text', {}, { description: 'Other.' }),
  one('a scope that is only written down', 'text', {}, { scope: 'read' }),
  one('a scope that rises', 'new_scope', { scope: 'read' }, { scope: 'write' }),
  one('a scope that falls', 'compatible', { scope: 'admin' }, { scope: 'delete' }),
  one('once becomes idempotent', 'breaking', { effect: 'once' }, { effect: 'idempotent' }),
  one('idempotent becomes read', 'breaking', { effect: 'idempotent' }, { effect: 'read' }),
  one('idempotent becomes once', 'compatible', { effect: 'idempotent' }, { effect: 'once' }),
  one('read becomes idempotent', 'compatible', { effect: 'read' }, { effect: 'idempotent' }),
  site('bearer becomes OAuth', 'breaking', {}, { auth: oauth() }),
  auth('more scopes', 'new_scope', {}, { scopes: ['read', 'write'] }),
  auth('fewer scopes, which no tool needs', 'compatible', { scopes: ['read', 'write'] }, {}),
  auth('fewer scopes, which a tool needs', 'breaking', { scopes: ['read', 'write'] }, { scopes: ['write'] }),
  auth('the order of scopes', 'text', { scopes: ['read', 'write'] }, { scopes: ['write', 'read'] }),
  site('the address of the server', 'changed_address', {}, { server: { url: 'https://api.site.example/api' } }),
  auth('where users consent', 'changed_address', {}, { authorization_url: 'https://site.example/other' }),
  auth('where tokens come from', 'changed_address', {}, { token_url: 'https://site.example/other' }),
  auth('where tokens are revoked', 'changed_address', revocation, { revocation_url: 'https://site.example/other' }),
  auth('an address to revoke that is new', 'changed_address', {}, revocation),
  auth('an issuer that is new', 'changed_address', {}, issuer),
  site(
    'a changed address among breaking and harmless changes',
    'changed_address',
    {},
    { name: 'Other', tools: [], server: { url: 'https://site.example/v2' } },
  ),
]

test('a proposal may change without asking, because it needs a confirmation', (t) => {
  const proposing = (proposed_effect?: 'read' | 'idempotent'): Manifest => {
    const site = parsed(manifest())
    return { ...site, tools: site.tools.map((one) => ({ ...one, proposed_effect })) }
  }
  const [once, idempotent, read] = [proposing(), proposing('idempotent'), proposing('read')] as const
  for (const [before, after] of [
    [once, idempotent],
    [idempotent, read],
  ] as const) {
    const [freer, fewer] = [compareManifests(before, after), compareManifests(after, before)]
    t.deepEqual([freer.class, fewer.class], ['text', 'compatible'])
    t.like(freer.differences, { 0: { path: 'tools.search_things.effect' }, length: 1 })
    t.regex(`${freer.differences[0]?.message}`, /retried in more cases\. You can confirm that\.$/)
    t.regex(`${fewer.differences[0]?.message}`, /retried in fewer cases\.$/)
  }
})

for (const [what, expected, before, after] of manifestRows)
  test(`of a manifest, ${what}: ${expected}`, (t) => t.is(compared(before, after).class, expected))

/** The rules of one keyword; what stands there is the schema of a property, or a whole input schema. */
const property = (what: string, expected: ChangeClass, before: unknown, after: unknown): Row =>
  one(
    what,
    expected,
    { input_schema: { type: 'object', properties: { p: before } } },
    { input_schema: { type: 'object', properties: { p: after } } },
  )
const whole = (what: string, expected: ChangeClass, before: Json, after: Json): Row =>
  one(what, expected, { input_schema: { type: 'object', ...before } }, { input_schema: { type: 'object', ...after } })

const p = { type: 'string' }
const closed = { additionalProperties: false }

const schemaRows: Row[] = [
  whole('definitions, which nothing can refer to', 'text', {}, { $defs: { a: { type: 'string' } } }),
  property('a description', 'text', p, { ...p, description: 'A text.' }),
  whole('a new optional property', 'compatible', { properties: {} }, { properties: { p } }),
  whole('a new optional property of a closed schema', 'compatible', { ...closed }, { ...closed, properties: { p } }),
  whole(
    'a new property that further ones were ruled by',
    'breaking',
    { additionalProperties: { type: 'number' } },
    { additionalProperties: { type: 'number' }, properties: { p } },
  ),
  whole('a new property where any was invited', 'breaking', { additionalProperties: true }, { properties: { p } }),
  whole('a property that is gone', 'breaking', { properties: { p } }, { properties: {} }),
  whole('a new required property', 'breaking', {}, { properties: { p }, required: ['p'] }),
  whole('a property that becomes required', 'breaking', { properties: { p } }, { properties: { p }, required: ['p'] }),
  whole('further properties are refused', 'breaking', {}, closed),
  whole('further properties are let through', 'compatible', closed, {}),
  property('another type', 'breaking', p, { type: 'number' }),
  property('one more type', 'compatible', p, { type: ['string', 'null'] }),
  property('integers become numbers', 'compatible', { type: 'integer' }, { type: 'number' }),
  property('one more value', 'compatible', { enum: ['a'] }, { enum: ['b', 'a'] }),
  property('a constant becomes one of several', 'compatible', { const: 'a' }, { enum: ['a', 'b'] }),
  property('a pattern comes', 'breaking', p, { ...p, pattern: '^a' }),
  property('longer texts', 'compatible', { maxLength: 5 }, { maxLength: 6 }),
  property('shorter texts', 'breaking', { maxLength: 5 }, { maxLength: 4 }),
  property('a least length that is none', 'text', p, { ...p, minLength: 0 }),
  property('a minimum that comes', 'breaking', {}, { minimum: 0 }),
  property('a finer step', 'compatible', { multipleOf: 10 }, { multipleOf: 5 }),
  property('items that are wider', 'compatible', { items: { type: 'integer' } }, { items: { type: 'number' } }),
  property('items that are ruled now', 'breaking', { type: 'array' }, { type: 'array', items: p }),
  property('first items that are ruled no longer', 'breaking', { prefixItems: [true], items: p }, { items: p }),
  property('one more alternative', 'compatible', { anyOf: [p] }, { anyOf: [p, { type: 'null' }] }),
  property('one more of which one must hold', 'breaking', { oneOf: [p] }, { oneOf: [p, { maxLength: 3 }] }),
  property('a text inside of which one must hold', 'text', { oneOf: [p] }, { oneOf: [{ ...p, title: 'A' }] }),
  property(
    'a wider one that all must hold',
    'compatible',
    { allOf: [{ maxLength: 3 }] },
    { allOf: [{ maxLength: 4 }] },
  ),
  property('what is excluded is wider', 'breaking', { not: { maxLength: 3 } }, { not: { maxLength: 4 } }),
  property('nothing is excluded any more', 'compatible', { not: p }, {}),
  property(
    'at most so many that are wider',
    'breaking',
    { contains: { maximum: 1 }, maxContains: 2 },
    { contains: { maximum: 2 }, maxContains: 2 },
  ),
  property('fewer than one must be among them', 'breaking', { contains: p, minContains: 0 }, { contains: p }),
  property('names that are ruled', 'breaking', {}, { propertyNames: { maxLength: 3 } }),
  property('what was never allowed', 'compatible', false, p),
  property('what is never allowed now', 'breaking', p, false),
  property(
    'what rules the unevaluated, with anything else',
    'breaking',
    { unevaluatedProperties: false, maxProperties: 1 },
    { unevaluatedProperties: false, maxProperties: 2 },
  ),
]

for (const [what, expected, before, after] of schemaRows)
  test(`of an input schema, ${what}: ${expected}`, (t) => t.is(compared(before, after).class, expected))

test('a difference says where it is, what stood there and what stands there now', (t) => {
  const { differences } = compared(manifest(), manifest({ server: { url: 'https://site.example/v2' }, name: 'Other' }))
  t.like(differences[0], {
    path: 'server.url',
    kind: 'changed',
    class: 'changed_address',
    before: 'https://site.example/api',
    after: 'https://site.example/v2',
  })
  t.like(differences[1], { path: 'name', kind: 'changed', class: 'text', before: 'Site', after: 'Other' })
})

test('of very many differences the gravest are listed, and the class is that of all', (t) => {
  const many = (from: number) => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${from + i}`, 'text']))
  const { class: found, differences } = compared(
    manifest(many(0)),
    manifest({ ...many(300), server: { url: 'https://site.example/v2' } }),
  )
  t.is(found, 'changed_address')
  t.is(differences.length, 200)
  t.is(differences[0]?.path, 'server.url')
  const url = `https://site.example/${'a'.repeat(2000)}`
  t.is(compared(manifest(), manifest({ server: { url } })).differences[0]?.after, url, 'an address is shown whole')
})

/** Simple schemas and arguments from one small world, so that they meet often. */
const everyValue: unknown[] = ['', 'x', 'xy', 'xyz', 0, 1, 2.5, 4, 10, true, null, [], [1, 1], ['x', 2], {}, { a: 1 }]
const words = {
  type: fc.constantFrom<unknown>('string', 'integer', 'number', ['string', 'null'], ['integer', 'array'], 'object'),
  enum: fc.uniqueArray(fc.constantFrom<unknown>('x', 'xy', 1, 4, null), { minLength: 1 }),
  const: fc.constantFrom<unknown>('x', 4),
  minLength: fc.nat(2),
  maxLength: fc.nat(3),
  minimum: fc.nat(4),
  maximum: fc.nat(10),
  multipleOf: fc.constantFrom(1, 2, 5),
  pattern: fc.constantFrom('^x', 'y$'),
  uniqueItems: fc.boolean(),
  maxItems: fc.nat(2),
  minItems: fc.nat(2),
  title: fc.constantFrom('A', 'B'),
}
const leaf = fewOf(words, { least: 2, most: 2 })

const ofOne = everyValue.map((value) => ({ a: value }))

/** Where a schema can stand inside another one: places where more inside is more outside, and places where it is not. */
const places: ((inner: unknown) => Json)[] = [
  (inner) => inner as Json,
  (inner) => inner as Json,
  (inner) => ({ not: inner }),
  (inner) => ({ oneOf: [inner, { type: 'integer' }] }),
  (inner) => ({ anyOf: [inner, { type: 'boolean' }] }),
  (inner) => ({ if: inner, then: { type: 'string' }, else: { type: 'number' } }),
  (inner) => ({ contains: inner, maxContains: 1 }),
  (inner) => ({ items: inner }),
  (inner) => ({ additionalProperties: inner, properties: { b: inner }, required: ['b'] }),
  (inner) => ({ patternProperties: { '^a': inner }, propertyNames: inner, maxProperties: 1 }),
]
const withSchema = (schema: Json) => manifest({ tools: [tool({ input_schema: schema })] })

/** Two schemas of one property, which differ in one keyword. */
const leafPairs = fc
  .tuple(leaf, fc.record(words), fc.nat(), fc.boolean(), fc.constantFrom(...places))
  .map(([before, other, nth, isGone, place]) => {
    const key = Object.keys(before)[nth % Object.keys(before).length] ?? ''
    const { [key]: _, ...rest } = before
    const after = isGone ? rest : { ...rest, [key]: (other as Json)[key] }
    const around = (inner: unknown): Json => ({ type: 'object', ...closed, properties: { a: place(inner) } })
    return [around(before), around(after)] as const
  })

test('what is compatible takes every arguments that were right before', (t) => {
  const seen: Record<string, number> = {}
  const count = (what: string) => void (seen[what] = (seen[what] ?? 0) + 1)
  const property = fc.property(leafPairs, ([before, after]) => {
    const found = compared(withSchema(before), withSchema(after)).class
    count(found)
    if (found !== 'text' && found !== 'compatible') return
    for (const args of ofOne.filter((candidate) => argumentProblems(before, candidate).length === 0)) {
      count('right before')
      t.deepEqual(argumentProblems(after, args), [], found)
    }
  })
  fc.assert(property, { numRuns: 300 })
  t.log(seen)
  t.true((seen['compatible'] ?? 0) > 20)
  t.true((seen['right before'] ?? 0) > 50)
})
