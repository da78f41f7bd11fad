import test from 'ava'
import { bodySchema, found, toolOf } from './reading.ts'

const parameter = (name: string, place: string, more: object = {}) => ({
  name,
  in: place,
  schema: { type: 'string' },
  ...more,
})
const version30 = { openapi: '3.0.3' }

test('parameters of one name in several places, and the body, have properties apart', (t) => {
  const tool = toolOf(
    {
      parameters: [
        parameter('id', 'header'),
        parameter('id', 'query', { explode: false, allowReserved: true }),
        parameter('id', 'path', { required: true, description: 'Of the pet.' }),
        parameter('filter[name]', 'query', { style: 'deepObject', required: true }),
        parameter('body', 'query', {
          schema: undefined,
          content: { 'application/json': { schema: { type: 'array' } } },
        }),
      ],
      requestBody: { required: true, content: { 'text/xml': {}, 'application/json': { schema: { type: 'number' } } } },
    },
    { path: '/pets/{id}' },
  )
  t.deepEqual(tool.input_schema, {
    type: 'object',
    properties: {
      id_header: { type: 'string' },
      id_query: { type: 'string' },
      id: { type: 'string', description: 'Of the pet.' },
      filter_name: { type: 'string' },
      body_query: { type: 'array' },
      body: { type: 'number' },
    },
    required: ['id', 'filter_name', 'body'],
    additionalProperties: false,
  })
  t.deepEqual(tool.request, {
    method: 'POST',
    path: '/pets/{id}',
    parameters: [
      { name: 'id', in: 'header', property: 'id_header', style: 'simple', explode: false },
      { name: 'id', in: 'query', property: 'id_query', style: 'form', explode: false, allowReserved: true },
      { name: 'id', in: 'path', property: 'id', style: 'simple', explode: false },
      { name: 'filter[name]', in: 'query', property: 'filter_name', style: 'deepObject', explode: false },
      {
        name: 'body',
        in: 'query',
        property: 'body_query',
        style: 'form',
        explode: true,
        mediaType: 'application/json',
      },
    ],
    body: { mediaType: 'application/json', property: 'body' },
  })
})

test('a parameter of an operation replaces that of its path', (t) => {
  const shared = [parameter('a', 'query'), parameter('b', 'query')]
  const own = [parameter('a', 'query', { required: true, schema: { type: 'integer' } })]
  const { tools } = found({ paths: { '/x': { parameters: shared, get: { parameters: own } } } }, 'get_x')
  t.like(tools[0]?.input_schema, { properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] })
})

test('headers of the platform, cookies and the credential cannot be set', (t) => {
  const names = ['Authorization', 'HOST', 'Content-Length', 'Cookie', 'Accept', 'Proxy-X', 'Sec-Fetch-Mode', 'X-Key']
  const tool = toolOf(
    {
      security: [{ key: [] }],
      parameters: [
        ...names.map((name) => parameter(name, 'header', { required: true })),
        parameter('c', 'cookie'),
        parameter('X-Own', 'header'),
      ],
    },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } } },
  )
  t.deepEqual(Object.keys(tool.input_schema['properties'] as object), ['X-Own'])
})

test('an operation that cannot be called is left out with the reason', (t) => {
  const body = (type: string) => ({ requestBody: { content: { [type]: {} } } })
  const cases: [Record<string, unknown>, RegExp][] = [
    [body('multipart/form-data'), /type multipart\/form-data, and only JSON and forms/],
    [body('application/octet-stream'), /application\/octet-stream/],
    [{ requestBody: {} }, /body that is not described/],
    [{ parameters: [parameter('c', 'cookie', { required: true })] }, /needs a cookie/],
    [{ parameters: [parameter('a', 'nowhere')] }, /a place that is not supported/],
    [{ parameters: [parameter('a\r\nHost: x', 'header')] }, /without a usable name/],
    [{ parameters: [7] }, /no object/],
    [{ parameters: [parameter('a', 'query', { content: { 'text/xml': {} } })] }, /a form that is not supported/],
    [{ parameters: Array.from({ length: 101 }, (_, at) => parameter(`p${at}`, 'query')) }, /more than 100 parameters/],
  ]
  for (const [operation, problem] of cases) {
    t.regex(toolOf(operation).problem, problem)
  }
  t.regex(toolOf({}, { path: '/pets/{id}' }).problem, /"id" in its path/)
})

test('a body is JSON if it can be, else a form, and a method without one has none', (t) => {
  const bodyOf = (content: object, method = 'post') => toolOf({ requestBody: { content } }, { method }).request?.body
  t.is(bodyOf({ 'text/json': {}, '*/*': {} })?.mediaType, 'application/json')
  t.is(bodyOf({ 'application/merge-patch+json; charset=utf-8': {} })?.mediaType, 'application/merge-patch+json')
  t.is(bodyOf({ 'application/json': {} }, 'get'), undefined)
  const encoding = { list: { style: 'deepObject', explode: true }, other: { contentType: 'text/plain' } }
  t.deepEqual(bodyOf({ 'multipart/form-data': {}, 'application/x-www-form-urlencoded': { encoding } }), {
    mediaType: 'application/x-www-form-urlencoded',
    property: 'body',
    encoding: { list: { style: 'deepObject', explode: true }, other: { style: 'form', explode: true } },
  })
})

test('schemas of OpenAPI 3.0 become JSON Schema 2020-12', (t) => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', nullable: true, example: 'x' },
      b: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      nullable: { type: 'boolean', xml: {}, deprecated: true },
      c: { nullable: true, allOf: [{ $ref: '#/components/schemas/Named' }] },
    },
    discriminator: { propertyName: 'a' },
  }
  const components = { schemas: { Named: { type: 'object', title: 'Named' } } }
  t.deepEqual(bodySchema(schema, { ...version30, components }), {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'] },
      b: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
      nullable: { type: 'boolean' },
      c: { anyOf: [{ type: 'object' }, { type: 'null' }] },
    },
  })
  t.deepEqual(bodySchema({ type: ['string', 'null'], exclusiveMinimum: 3 }), {
    type: ['string', 'null'],
    exclusiveMinimum: 3,
  })
})

test('properties that only responses have are left out', (t) => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string', readOnly: true }, at: { $ref: '#/at' }, name: { type: 'string' } },
    required: ['id', 'at', 'name'],
  }
  t.deepEqual(bodySchema(schema, { at: { type: 'string', readOnly: true } }), {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  })
})

test('a schema that contains itself is open where it does, in every form of a circle', (t) => {
  const Node = {
    type: 'object',
    description: 'A node.',
    properties: { next: { $ref: '#/Node' }, all: { type: 'array', items: { $ref: '#/Node' } } },
  }
  const open = { type: 'object', description: 'A node.' }
  t.deepEqual(bodySchema({ $ref: '#/Node' }, { Node }), {
    ...open,
    properties: { next: open, all: { type: 'array', items: open } },
  })
  t.deepEqual(bodySchema({ $ref: '#/a' }, { a: { $ref: '#/b' }, b: { $ref: '#/a' } }), {})
})

test('keywords that the platform cannot check are left out, and the schema accepts more', (t) => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '(?=x)y', minLength: '1', format: 'date' },
      b: { type: 'file', pattern: '^x$', required: true },
      __proto__x: { enum: 'x' },
    },
    patternProperties: { '(?<!x)': {}, '^x-': { type: 'string' } },
    $defs: { x: {} },
  }
  t.deepEqual(bodySchema(schema), {
    type: 'object',
    properties: { a: { type: 'string', format: 'date' }, b: { pattern: '^x$' }, __proto__x: {} },
    patternProperties: { '^x-': { type: 'string' } },
  })
  t.deepEqual(bodySchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')), { properties: {} })
})

test('of a large schema, the outer part is used', (t) => {
  const wide = (levels: number): object =>
    levels === 0
      ? { type: 'string', description: 'x'.repeat(100) }
      : {
          type: 'object',
          properties: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, wide(levels - 1)])),
        }
  const schema = bodySchema(wide(6))
  t.true(JSON.stringify(schema).length < 16 * 1024)
  t.like(schema, { properties: { a: { properties: { b: { type: 'object' } } } } })
  const long = bodySchema({ type: 'string', enum: Array.from({ length: 5000 }, (_, at) => `value ${at}`) })
  t.deepEqual(long, { type: 'string' })
  const many = {
    properties: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: 'string' }])),
  }
  const tool = toolOf({ requestBody: { content: { 'application/json': { schema: { ...many, type: 'object' } } } } })
  t.like(tool.input_schema, { properties: { body: { type: 'object' } } })
})
