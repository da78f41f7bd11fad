import test, { type ExecutionContext } from 'ava'
import { CodedError } from '../../../../../src/errors.ts'
import { parseManifest } from '../../../../../src/sites/dialects/manifest/parse-manifest.ts'

const tool = {
  name: 'list_issues',
  description: 'Lists issues.',
  input_schema: { type: 'object', properties: { state: { type: 'string', description: 'open or closed' } } },
}
const oauth2 = {
  type: 'oauth2',
  authorization_url: 'https://site.example/authorize?tenant=1',
  token_url: 'https://site.example/token',
  scopes: ['read', 'write', 'delete', 'admin'],
}
const manifest = {
  name: 'Site',
  version: '1.2',
  description: 'A site.',
  server: { url: 'https://site.example:8443/api/v1' },
  auth: { type: 'bearer' },
  tools: [tool, { ...tool, name: 'issues.createIssue', scope: 'write', effect: 'idempotent' }],
}
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))

function problemsOf(t: ExecutionContext, input: Uint8Array) {
  const error = t.throws(() => parseManifest(input), { instanceOf: CodedError, code: 'MANIFEST_INVALID' })
  t.true(error?.details?.every(({ message }) => message.length > 0 && message.length <= 301))
  return error?.details ?? []
}

test('a manifest is read as it is, with unknown members at every level', (t) => {
  t.deepEqual(parseManifest(bytes(manifest)), manifest as never)
  const more = {
    ...manifest,
    'x-more': [1, { a: null }],
    server: { ...manifest.server, region: 'eu' },
    auth: { ...oauth2, issuer: 'https://site.example/tenant', hint: 'settings page' },
    tools: [{ ...tool, title: 'List', input_schema: { ...tool.input_schema, examples: [{}], $schema: 'x', $id: 'y' } }],
  }
  t.deepEqual(parseManifest(bytes(more)), more as never)
})

test('members that only other dialects write are left out, so they are not taken for those', (t) => {
  const posing = {
    ...manifest,
    auth: {
      ...oauth2,
      resource: 'https://other.example',
      requested_scopes: ['all'],
      registration_url: 'https://r.example',
    },
    tools: [{ ...tool, proposed_effect: 'read', output_schema: {} }],
    left_out: [{ name: 'pay', problem: 'Call the number below.' }],
  }
  t.deepEqual(parseManifest(bytes(posing)), { ...manifest, auth: oauth2, tools: [tool] } as never)
})

test('a byte order mark and an empty tool list are accepted', (t) => {
  t.is(parseManifest(Buffer.from(`\uFEFF${JSON.stringify(manifest)}`)).name, 'Site')
  t.deepEqual(parseManifest(bytes({ ...manifest, tools: [] })).tools, [])
})

const withTool = (change: object) => ({ ...manifest, tools: [tool, { ...tool, name: 'other', ...change }] })
const withSchema = (schema: unknown) => withTool({ input_schema: schema })
const withAuth = (change: object) => ({ ...manifest, auth: { ...oauth2, ...change } })

type Wrong = [rule: string, manifest: unknown, places: string[]]

const wrong: Wrong[] = [
  ['a manifest is an object', [], ['']],
  ['all required members are named at once', {}, ['name', 'version', 'description', 'server', 'auth', 'tools']],
  ['texts are strings', { ...manifest, name: 1, version: 1.2, description: null }, ['name', 'version', 'description']],
  [
    'texts are not blank',
    { ...manifest, name: '', version: ' ', description: '\n' },
    ['name', 'version', 'description'],
  ],
  [
    'texts are bounded',
    { ...manifest, name: 'x'.repeat(201), version: 'x'.repeat(101), description: 'x'.repeat(4001) },
    ['name', 'version', 'description'],
  ],
  [
    'texts can be stored',
    { ...manifest, name: 'a\0', description: '\ud800', more: ['\0'] },
    ['name', 'description', 'more.0'],
  ],
  ['server.url is required', { ...manifest, server: {} }, ['server.url']],
  ['server.url is https', { ...manifest, server: { url: 'http://site.example' } }, ['server.url']],
  ['server.url has no user', { ...manifest, server: { url: 'https://a:b@site.example' } }, ['server.url']],
  ['server.url has no query', { ...manifest, server: { url: 'https://site.example/?a=1' } }, ['server.url']],
  ['server.url has no empty query', { ...manifest, server: { url: 'https://site.example/?' } }, ['server.url']],
  ['server.url has no fragment', { ...manifest, server: { url: 'https://site.example/#a' } }, ['server.url']],
  [
    'server.url is bounded',
    { ...manifest, server: { url: `https://site.example/${'a'.repeat(3000)}` } },
    ['server.url'],
  ],
  ['auth.type is required', { ...manifest, auth: {} }, ['auth.type']],
  ['auth.type is known', { ...manifest, auth: { type: 'basic' } }, ['auth.type']],
  [
    'oauth2 needs its members',
    { ...manifest, auth: { type: 'oauth2' } },
    ['auth.authorization_url', 'auth.token_url', 'auth.scopes'],
  ],
  [
    'oauth2 addresses are https',
    withAuth({ authorization_url: 'javascript:alert(1)', token_url: 'http://site.example' }),
    ['auth.authorization_url', 'auth.token_url'],
  ],
  ...['https://bank.example', 'https://site.example:8443', 'https://site.example?tenant=1'].map((issuer): Wrong => [
    'an issuer is of the origin where users give their consent',
    withAuth({ issuer }),
    ['auth.issuer'],
  ]),
  ['scopes are known', withAuth({ scopes: ['read', 'root', 7] }), ['auth.scopes.1', 'auth.scopes.2']],
  ['scopes are bounded', withAuth({ scopes: Array(21).fill('read') }), ['auth.scopes']],
  [
    'tools are bounded',
    { ...manifest, tools: Array.from({ length: 201 }, (_, i) => ({ ...tool, name: `t${i}` })) },
    ['tools'],
  ],
  ['a tool is an object', { ...manifest, tools: ['list', tool, null] }, ['tools.0', 'tools.2']],
  [
    'a tool needs its members',
    { ...manifest, tools: [{}] },
    ['tools.0.name', 'tools.0.description', 'tools.0.input_schema'],
  ],
  ['tool names differ', { ...manifest, tools: [tool, { ...tool }, tool] }, ['tools.1.name', 'tools.2.name']],
  ['tool names are bounded', withTool({ name: 'a'.repeat(65) }), ['tools.1.name']],
  ['a description is bounded', withTool({ description: 'x'.repeat(4001) }), ['tools.1.description']],
  ['a scope is known', withTool({ scope: 'root' }), ['tools.1.scope']],
  ['an effect is known', withTool({ effect: 'maybe' }), ['tools.1.effect']],
  [
    'everything wrong in an input schema is named',
    withSchema({ type: 'object', required: 'a', properties: { a: { $ref: '#' }, b: { pattern: '(' } } }),
    [
      'tools.1.input_schema.required',
      'tools.1.input_schema.properties.a.$ref',
      'tools.1.input_schema.properties.b.pattern',
    ],
  ],
]
test('what is wrong with a manifest is told by its places', (t) => {
  for (const [rule, value, places] of wrong)
    t.deepEqual([...new Set(problemsOf(t, bytes(value)).map(({ path }) => path))], places, rule)
})

test('a tool is called by a name, or by two with a point between them', (t) => {
  for (const name of ['a', 'list_all_issues', 'v2_list', 'googleDrive.list', 'my_crm.x', 'a'.repeat(64)])
    t.notThrows(() => parseManifest(bytes(withTool({ name }))), name)
  for (const name of ['', 'List', 'list-issues', '_list', '1list', '../x', 'a.b.c', 'a.', 'a.Bc', 'listIssues', 'a\n'])
    t.true(
      problemsOf(t, bytes(withTool({ name }))).every(({ path }) => path === 'tools.1.name'),
      name,
    )
})

test('a document that cannot be read is invalid as a whole', (t) => {
  const cutOff = bytes(manifest).subarray(0, 100)
  const deep = Buffer.from('{"a":'.repeat(100_000))
  for (const document of [new Uint8Array(), Uint8Array.from([0x7b, 0xff, 0x7d]), cutOff, deep, bytes('manifest')])
    t.like(problemsOf(t, document), { 0: { path: '' }, length: 1 })
})

test('a member called __proto__ is refused, wherever it stands', (t) => {
  const text = JSON.stringify(manifest).replace('"state":', '"__proto__":')
  t.deepEqual(
    problemsOf(t, Buffer.from(text)).map(({ path }) => path),
    ['tools.0.input_schema.properties.__proto__'],
  )
  t.is(({} as { type?: string }).type, undefined)
  t.is(problemsOf(t, bytes({ ...manifest, tools: Array(100).fill(0) })).length, 50, 'at most fifty are named')
})

test('the source of the patterns of all tools together is bounded, and more so where they ignore case', (t) => {
  const withPatterns = (count: number, pattern: string) => {
    const schema = { type: 'object', properties: { a: { pattern } } }
    return bytes({
      ...manifest,
      tools: Array.from({ length: count }, (_, i) => ({ ...tool, name: `t${i}`, input_schema: schema })),
    })
  }
  const tooLong = 'makes the patterns too long in total, or makes too many of them ignore case'
  const messages = (document: Uint8Array) => problemsOf(t, document).map(({ message }) => message)
  const plain = '[ab]'.repeat(125)
  t.notThrows(() => parseManifest(withPatterns(131, plain)))
  t.deepEqual(messages(withPatterns(132, plain)), [tooLong])
  for (const flags of ['(?i)', '(?si)', '(?i:a)', '(?s-m)(?i)']) {
    const folded = flags + '[ab]'.repeat(25)
    const fits = Math.floor((64 * 1024) / (20 * folded.length))
    t.notThrows(() => parseManifest(withPatterns(fits, folded)), flags)
    t.deepEqual(messages(withPatterns(fits + 1, folded)), [tooLong], flags)
  }
  for (const pattern of ['(?:i)[ab]', '(?<i>a)', '[i)]']) {
    t.notThrows(() => parseManifest(withPatterns(100, pattern + '[ab]'.repeat(25))), pattern)
  }
})

test('the patterns of all tools together are bounded', (t) => {
  const schema = { type: 'object', properties: { a: { pattern: 'a{900}b{900}' } } }
  const tools = Array.from({ length: 200 }, (_, i) => ({ ...tool, name: `t${i}`, input_schema: schema }))
  t.notThrows(() => parseManifest(bytes({ ...manifest, tools: tools.slice(0, 50) })))
  t.like(problemsOf(t, bytes({ ...manifest, tools })), {
    0: { message: 'makes the patterns too large in total' },
    length: 1,
  })
})
