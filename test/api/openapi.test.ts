// @promise openapi
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { codesOf } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { catalogue } from '../../src/errors.ts'
import { manifestJsonSchema } from '../../src/sites/dialects/manifest/manifest-schema.ts'
import { readCallbackBody } from '../../src/callbacks/callback-body.ts'
import { violations, document as declared, inWords, type Document } from '../helpers/openapi-schemas.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { cancel, start } from '../helpers/runs.ts'
import { ownEnvironment, ownFolder } from '../helpers/servers.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { components, examples, fields, meaningOf, operations, resolved, used, within } from './contract.ts'

const run = promisify(execFile)
const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
const config = fileURLToPath(new URL('../../redocly.yaml', import.meta.url))

const open = forWholeFile(test, 'the OpenAPI document', (t) => startPlatform(t))

const served = async () => fetch(`${(await open()).url}/openapi.json`)

test('the linter has nothing to say about the OpenAPI document', async (t) => {
  const file = join(ownFolder(), 'openapi.json')
  await writeFile(file, await (await served()).text())
  // Linting must not call anybody.
  const env = { ...ownEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(process.execPath, [redocly, 'lint', file, '--config', config, '--format', 'json'], {
    env,
    maxBuffer: 16 * 1024 * 1024,
  }).catch((failed: { stdout: string }) => failed)
  const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
  t.deepEqual(
    problems.map(({ message }) => message),
    [],
  )
  t.like(totals, { errors: 0, warnings: 0 })
})

test('every route is in the OpenAPI document with its parameters, its success and each of its codes', async (t) => {
  const response = await served()
  t.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  const document = (await response.json()) as Document
  t.is(document.openapi, '3.1.0')
  for (const route of routes) {
    const operation = document.paths[route.path]?.[route.method]
    t.is(operation?.operationId, route.name)
    const named = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    t.deepEqual(
      named,
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    )
    t.truthy(operation?.responses[route.status], `${route.name} succeeds with ${route.status}`)
    const documented = Object.entries(operation?.responses ?? {}).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map((code) => `${status} ${code}`),
    )
    t.deepEqual(
      documented.toSorted(),
      codesOf(route)
        .map((code) => `${catalogue[code].status} ${code}`)
        .toSorted(),
    )
  }
  const operations = Object.values(document.paths).flatMap((path) => Object.keys(path))
  t.is(operations.length, routes.length)
})

test('every operation, every parameter and every field says what it is', (t) => {
  const silent = operations
    .filter(({ description }) => !description)
    .map(({ operationId }) => `the operation ${operationId} has no description: give one in its route()`)
  for (const { operationId, parameters = [] } of operations)
    for (const { name, in: place, description } of parameters)
      if (!description)
        silent.push(
          `${operationId}: ${name} in ${place} has no description; give it one with field(), or where parameters are declared`,
        )
  for (const { place, schema } of [...components, ...fields])
    if (!meaningOf(schema)) silent.push(`${place} has no description: give one with field() or named()`)
  t.deepEqual(silent, [])
  t.true(operations.length > 60 && fields.length > 300)
})

test('every object and every enumeration has a name, so no generated client has to invent one', (t) => {
  // In a component only what is inside is nameless; elsewhere all of it. The codes of an error refine a named schema.
  const inner = components.flatMap((one) => within(one).slice(1))
  const nameless = [...inner, ...used.flatMap(within)]
    .filter(({ schema }) => schema.$ref === undefined)
    .filter(({ schema }) => schema.type === 'object' || schema.properties || (schema.enum?.length ?? 0) > 1)
    .filter(({ place }) => !/ [45]\d\d\.code$/.test(place))
    .map(({ place }) => `${place} has no name: give one with named()`)
  t.deepEqual(nameless, [])
})

test('no object that takes members of any name is written as one that takes none', (t) => {
  const closed = components
    .filter(({ schema }) => schema.type === 'object' && !schema.properties && schema.additionalProperties === undefined)
    .map(({ place }) => `${place} is an object without members: give it some, or make it a freeObject()`)
  t.deepEqual(closed, [])
})

test('every body has an example that its schema takes, made of an example of each text', (t) => {
  const wrong = examples.flatMap(({ place, schema, example }) => {
    if (example === undefined) return [`${place} has no example`]
    const errors = violations(schema, example)
    return errors.length === 0 ? [] : [`${place}: its example breaks its schema: ${inWords(errors)}`]
  })
  const untold = fields
    .filter(({ schema }) => schema.type === 'string' && schema['format'] !== 'date-time' && !schema['examples'])
    .filter(({ schema }) => !('const' in schema) && !('default' in schema))
    .map(({ place }) => `${place} is a text without an example: give one with field()`)
  const bodiless = routes
    .filter((route) => (route.body || route.rawBody) && !declared.paths[route.path]?.[route.method]?.requestBody)
    .map(({ name }) => `${name} takes a body and describes none: give its rawBody a documentation`)
  t.deepEqual([...wrong, ...untold, ...bodiless], [])
  t.true(examples.length > 300)
})

test('every example that stands beside a field is one', (t) => {
  const wrong = [...components, ...fields].flatMap(({ place, schema }) =>
    ((schema['examples'] as unknown[] | undefined) ?? []).flatMap((example) => {
      const errors = violations(schema, example)
      return errors.length === 0 ? [] : [`${place}: ${JSON.stringify(example)} is no example: ${inWords(errors)}`]
    }),
  )
  t.deepEqual(wrong, [])
})

test('every failure names the codes that its operation can have, and every response the headers that it comes with', (t) => {
  for (const route of routes) {
    const responses = declared.paths[route.path]?.[route.method]?.responses ?? {}
    for (const [status, { content, headers }] of Object.entries(responses)) {
      t.truthy(headers?.['X-Request-Id'], `${route.name} ${status}`)
      if (Number(status) < 400) continue
      const codes = codesOf(route).filter((code) => catalogue[code].status === Number(status))
      const schema = content?.['application/json']?.schema
      t.deepEqual(schema?.properties?.['code'], { enum: codes }, `${route.name} ${status}`)
      t.is(schema?.$ref, '#/components/schemas/Error')
      t.is(
        Boolean(headers?.['Retry-After']),
        codes.some((code) => catalogue[code].retryable),
        `${route.name} ${status}`,
      )
    }
  }
  const all = resolved({ $ref: '#/components/schemas/ErrorCode' })?.enum
  t.deepEqual(all, Object.keys(catalogue))
})

test('numbers in queries are numbers, with their limits', (t) => {
  const limits = operations.flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === 'limit'))
  t.true(limits.length > 10)
  for (const { schema } of limits) t.like(schema, { type: 'integer', minimum: 1, pattern: undefined })
  const after = declared.paths['/runs/{runId}/events']?.['get']?.parameters?.find(({ name }) => name === 'after')
  t.like(after?.schema, { type: 'integer', minimum: 0, default: 0 })
})

test('a callback is posted as the document says, whatever the run has become', async (t) => {
  const platform = await open()
  const { database } = platform.services
  const someone = await customer(platform)
  const { id } = (await start(someone, await agentOf(someone))).body
  await cancel(someone, id)
  const body: unknown = JSON.parse(await readCallbackBody(database, id))
  t.like(body, { type: 'run.cancelled' })
  const schema = declared.webhooks['runEnded']?.['post']?.requestBody?.content?.['application/json']?.schema ?? false
  t.is(inWords(violations(schema as object, body)), '')
  const named = declared.webhooks['runEnded']?.['post']?.parameters?.map(({ name }) => name)
  t.deepEqual(named, ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
})

test('the schema of manifests is served to anyone', async (t) => {
  const response = await fetch(`${(await open()).url}/schemas/toolsite.json`)
  t.is(response.status, 200)
  t.deepEqual(await response.json(), JSON.parse(JSON.stringify(manifestJsonSchema())))
})
