import test from 'ava'
import { found, read, toolOf } from './reading.ts'

const paths = {
  '/pets': {
    get: { operationId: 'listPets', summary: 'Lists the pets', description: 'All of them.', tags: ['pets'] },
    post: { description: 'Adds a pet.' },
  },
  '/pets/{petId}': {
    parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
    put: { operationId: 'pets.replace' },
    delete: {},
  },
}

const yaml = `
openapi: 3.0
info: {title: Pets, version: 1.0}
servers: [{url: https://api.example.com/v1/}]
paths:
  /pets:
    get: {operationId: listPets, description: &all All pets.}
    head: {<<: &more {description: *all}, operationId: pets_head}
`

test('a document in JSON or YAML becomes a manifest with the chosen operations, and offers all of them', (t) => {
  const { manifest, offered, leftOut, servers } = found({ paths }, 'list_pets', 'delete_pets_by_pet_id', 'gone')
  t.deepEqual(
    offered.tools.map(({ name, request }) => [name, request]),
    [
      ['list_pets', 'GET /pets'],
      ['post_pets', 'POST /pets'],
      ['pets_replace', 'PUT /pets/{petId}'],
      ['delete_pets_by_pet_id', 'DELETE /pets/{petId}'],
    ],
  )
  t.like(offered.tools[0], { description: 'Lists the pets', tags: ['pets'] })
  const gone = [{ name: 'gone', problem: 'is not in the document' }]
  t.deepEqual([leftOut, servers], [gone, ['https://api.example.com/v1']])
  const open = { type: 'object', properties: {}, additionalProperties: false }
  t.deepEqual(manifest, {
    name: 'Pets',
    version: '1',
    description: 'The API at api.example.com.',
    server: { url: 'https://api.example.com/v1' },
    auth: { type: 'none' },
    tools: [
      {
        name: 'list_pets',
        description: 'Lists the pets. All of them.',
        input_schema: open,
        scope: 'read',
        proposed_effect: 'read',
        request: { method: 'GET', path: '/pets', parameters: [] },
      },
      {
        name: 'delete_pets_by_pet_id',
        description: 'delete_pets_by_pet_id',
        input_schema: { ...open, properties: { petId: { type: 'string' } }, required: ['petId'] },
        scope: 'delete',
        proposed_effect: 'idempotent',
        request: {
          method: 'DELETE',
          path: '/pets/{petId}',
          parameters: [{ name: 'petId', in: 'path', property: 'petId', style: 'simple', explode: false }],
        },
      },
    ],
    left_out: gone,
  })
  const ofYaml = found(yaml, 'list_pets', 'pets_head')
  t.deepEqual(
    ofYaml.tools.map(({ description, proposed_effect }) => [description, proposed_effect]),
    [
      ['All pets.', 'read'],
      ['All pets.', 'read'],
    ],
  )
})

test('what is no document, or one of another version, is told apart from a broken one', (t) => {
  for (const text of ['', '<html>', '{"name":"openapi"}', '[]', 'openapi', '{"openapi":{}}']) {
    t.deepEqual(read(text), { isNone: true }, text)
  }
  const cases: [string | object, RegExp][] = [
    [{ swagger: '2.0', openapi: undefined }, /Swagger 2\.0.*npx swagger2openapi/],
    [{ openapi: '4.0.0' }, /must be 3\.0 or 3\.1/],
    ['{"openapi":"3.1.0",', /not valid JSON/],
    ['openapi: 3.1.0\nx: [\n', /not valid YAML in line/],
    [`{"openapi":"3.1.0","x":${'['.repeat(101)}${']'.repeat(101)}}`, /100 levels/],
    [`openapi: 3.1.0\nx: ${'['.repeat(101)}${']'.repeat(101)}`, /not valid YAML/],
    [{}, /has no operations/],
    [{ paths: [] }, /has no operations/],
    [{ paths: { '/x': { get: { security: [{ a: [] }] } } } }, /, which the document does not describe/],
  ]
  for (const [given, problem] of cases)
    t.regex(JSON.stringify(read(given as string)), problem, JSON.stringify(given).slice(0, 80))
})

test('servers are absolute addresses with https, and an operation with others is left out', (t) => {
  const variables = { region: { default: 'eu' }, none: {} }
  const servers = [
    { url: 'http://plain.example.com' },
    { url: 'https://{none}.example.com' },
    { url: 'https://user@example.com' },
    { url: 'https://{region}.example.com/{region}/', variables },
    { url: '../v2' },
    { url: '?a' },
  ]
  const other = { get: { operationId: 'other', servers: [{ url: 'https://other.example.com' }] } }
  const same = { servers: [servers[3]], get: { operationId: 'same' } }
  const given = { servers, paths: { '/other': other, '/same': same } }
  const { leftOut, offered, ...result } = found(given)
  t.deepEqual(result.servers, ['https://eu.example.com/eu', 'https://docs.example.com/v2'])
  t.deepEqual(
    offered.tools.map(({ name }) => name),
    ['same'],
  )
  t.deepEqual(leftOut, [{ name: 'other', problem: 'is on another server than the rest of the document' }])
  const second = read(given, { server: 'https://other.example.com/' })
  t.like('manifest' in second ? JSON.parse(second.manifest) : {}, { server: { url: 'https://other.example.com' } })
  t.like(found({ paths, servers: [] }), { servers: ['https://docs.example.com'] })
  for (const servers of [[{ url: 'http://localhost' }], [{ url: '/v1' }]])
    t.regex(JSON.stringify(read({ paths, servers }, { address: undefined })), /has no usable address/)
})

test('references lead to other documents, which are asked for first', (t) => {
  const document = {
    paths: {
      '/pets': { $ref: 'paths.yaml#/pets' },
      '/x': { get: { operationId: 'get_x', parameters: [{ $ref: 'https://other.example.com/x.json#/p' }] } },
    },
  }
  const pathsAt = 'https://docs.example.com/v1/paths.yaml'
  t.deepEqual(read(document), { missing: [pathsAt] })
  const referenced = {
    [pathsAt]: Buffer.from('pets: {post: {operationId: add, requestBody: {$ref: "#/body"}}}\nbody: {$ref: body.json}'),
  }
  t.like(read(document, { referenced }), { offered: { total: 2 } })
  const both = { referenced, chosen: ['add', 'get_x'] }
  t.deepEqual(read(document, both), {
    missing: ['https://docs.example.com/v1/body.json', 'https://other.example.com/x.json'],
  })
  const all = {
    ...referenced,
    'https://docs.example.com/v1/body.json': Buffer.from(
      '{"content":{"application/json":{"schema":{"$ref":"#/s"}}},"s":{"type":"string"}}',
    ),
    'https://other.example.com/x.json': Buffer.from('{"p":{"name":"q","in":"query","schema":{"type":"integer"}}}'),
  }
  const result = read(document, { ...both, referenced: all })
  const { tools } =
    'manifest' in result ? (JSON.parse(result.manifest) as { tools: { input_schema: object }[] }) : { tools: [] }
  t.like(tools[0]?.input_schema, { properties: { body: { type: 'string' } } })
  t.like(tools[1]?.input_schema, { properties: { q: { type: 'integer' } } })
  const many = Array.from({ length: 30 }, (_, at) => [`/${at}`, { $ref: `${at}.json` }])
  t.regex(JSON.stringify(read({ paths: Object.fromEntries(many) })), /more than 20 other documents/)
})

test('an operation whose references lead nowhere is left out alone', (t) => {
  const chain = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, { $ref: `#/chain/${at + 1}` }]))
  const cases: [unknown, RegExp][] = [
    ['#/nowhere', /something that is missing/],
    ['#/__proto__', /something that is missing/],
    ['#anchor', /by an anchor/],
    ['http://plain.example.com/a', /https/],
    ['https://10.0.0.1:22/a', /port is not allowed/],
    [7, /no address/],
    [`#/${'a'.repeat(1000)}`, /no address/],
    ['#/chain/0', /more than 20 references/],
    ['#/circle', /more than 20 references/],
  ]
  for (const [$ref, problem] of cases) {
    const tool = toolOf({ parameters: [{ $ref }] }, { chain, circle: { $ref: '#/circle' } })
    t.regex(tool.problem, problem, String($ref))
  }
  const paths = { '/a': { post: { operationId: 'a', parameters: [{ $ref: 'a.json' }] } } }
  t.regex(JSON.stringify(read({ paths }, { address: undefined, chosen: ['a'] })), /relative address/)
})

test('a path that leads elsewhere is left out', (t) => {
  for (const path of [
    '//evil.example.com/x',
    '/a/../../b',
    '/a/%2E%2e',
    '/a?b=c',
    '/a#b',
    '/a b',
    '/{a',
    `/${'a'.repeat(1000)}`,
  ]) {
    const { leftOut, offered } = found({ paths: { [path]: { get: {} }, '/x': { get: {} } } })
    t.deepEqual([offered.total, leftOut.length], [1, 1], path)
  }
})

test('scopes and effects are proposed by the method, and what its name says about administration counts', (t) => {
  const rows = [
    ['get', 'settings_of_user', 'read', 'read'],
    ['get', 'admin_list', 'admin', 'read'],
    ['post', 'search', 'write', undefined],
    ['patch', 'update_settings', 'admin', undefined],
    ['put', 'replace', 'write', 'idempotent'],
    ['delete', 'remove_pet', 'delete', 'idempotent'],
    ['delete', 'remove_user', 'admin', 'idempotent'],
  ] as const
  for (const [method, operationId, scope, effect] of rows) {
    const { tools } = found({ paths: { '/x': { [method]: { operationId } } } }, operationId)
    t.deepEqual([tools[0]?.scope, tools[0]?.proposed_effect], [scope, effect], `${method} ${operationId}`)
    t.is(tools[0]?.effect, undefined)
  }
})
