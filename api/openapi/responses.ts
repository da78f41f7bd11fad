import type { GenericSchema } from 'valibot'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { exampleOf } from './examples.ts'
import type { Json, Schemas } from './json-schema.ts'
import type { AnyRoute } from '../route/route.ts'
import { codesOf } from '../route/route-rules.ts'
import { chatStreamHeaders, chatStreamOf } from './chat-stream.ts'
import { errorBody } from '../schemas/schemas.ts'

/** The responses of an operation in OpenAPI: its successes, and one per status of its failures. */
export function responsesOf(route: AnyRoute, schemas: Schemas): Json {
  const all: Record<string, Json> = { ...successes(route, schemas), ...failures(route, schemas) }
  return Object.fromEntries(
    Object.entries(all).map(([status, { headers: own = {}, ...response }]) => [
      status,
      { headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...(own as Json) }, ...response },
    ]),
  )
}

/** The headers of responses, as components. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifies the request. Quote it when you ask for help. A well-formed one that you send is kept',
    schema: { type: 'string' },
    example: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a17',
  },
  'Retry-After': {
    description: 'Seconds after which the request may succeed; always with 429, and otherwise if it is known',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate, and whether a token that came was refused (RFC 9110, 11.6.1; RFC 6750, 3)',
    schema: { type: 'string' },
    example: 'Bearer realm="Switchyard", error="invalid_token"',
  },
  ...chatStreamHeaders,
}

const pageContent = { 'text/html': { schema: { type: 'string' } } }

function successes(route: AnyRoute, schemas: Schemas): Record<string, Json> {
  const { status } = route
  if (status === 303) return { 200: { description: 'A page.', content: pageContent }, 303: redirect }
  const chat = route.chatStream && chatStreamOf(schemas)
  if (!route.response) return chat ? { 200: chat, [status]: nothingUnderWay } : { [status]: nothing }
  const json = jsonContent(route.response as GenericSchema, schemas)
  const content = {
    ...json,
    ...(route.browser && pageContent),
    ...(route.stream && streamContent),
    ...(route.csv && csvContent),
    ...chat?.content,
  }
  const usual = { description: 'Done.', ...chat, content }
  const others = Object.entries(route.alternatives ?? {}).map(([other, { description, response }]) => [
    other,
    { description, content: jsonContent(response, schemas) },
  ])
  return { [status]: usual, ...(route.stream && { 204: nothingMore }), ...Object.fromEntries(others) }
}

const streamContent = {
  'text/event-stream': {
    schema: {
      type: 'object',
      description: 'A server-sent event. Events without `id` pass, and are not sent again.',
      properties: {
        id: { type: 'string', description: 'The number of the item' },
        event: { type: 'string', description: 'The kind of the item; `error` is the last one' },
        data: { type: 'string', description: 'The item as in JSON; of an `error` event, an error body' },
      },
    },
  },
}

const csvContent = {
  'text/csv': { schema: { type: 'string', description: 'The lines, with a header (RFC 4180).' } },
}

const nothing = { description: 'Done; there is no body.' }

const nothingUnderWay = { description: 'No answer is under way; there is no body.' }

const nothingMore = { description: 'For a stream: there are no more events, and there will be none. Do not reconnect.' }

function jsonContent(of: GenericSchema, schemas: Schemas): Json {
  const schema = schemas.of(of, 'output')
  return { 'application/json': { schema, example: exampleOf(schema, schemas.components()) } }
}

const redirect = {
  description: 'Redirect to another address.',
  headers: { Location: { description: 'The address', schema: { type: 'string' } } },
}

/** One response per status. Its description, its examples and its schema name the codes that share the status. */
function failures(route: AnyRoute, schemas: Schemas): Record<string, Json> {
  const error = schemas.of(errorBody, 'output')
  const byStatus = Map.groupBy(codesOf(route), (code) => catalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(error, status, codes)]))
}

function failure(error: Json, status: number, codes: ErrorCode[]): Json {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  // Beside the reference, so that generated clients have one type of errors and not one per status of each operation.
  const schema = { ...error, properties: { code: { enum: codes } } }
  const waits = codes.some((code) => catalogue[code].retryable)
  const names = [...(waits ? ['Retry-After'] : []), ...(status === 401 ? ['WWW-Authenticate'] : [])]
  const own = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  return {
    description: codes.join(', '),
    ...(names.length > 0 && { headers: own }),
    content: { 'application/json': { schema, examples } },
  }
}

/** An error body for every code that a route can fail with. */
export function errorExamples(routes: AnyRoute[]): Json {
  const codes = [...new Set(routes.flatMap(codesOf))].toSorted()
  return Object.fromEntries(
    codes.map((code) => {
      const { message, status } = catalogue[code]
      return [code, { value: { error: message, code, statusCode: status } }]
    }),
  )
}
