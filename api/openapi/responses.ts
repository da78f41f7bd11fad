import type { GenericSchema } from 'valibot'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { exampleOf } from './examples.ts'
import type { Json, Schemas } from './json-schema.ts'
import type { AnyRoute } from '../route/route.ts'
import { codesOf } from '../route/route-rules.ts'
import { chatStreamHeaders, chatStreamOf } from './chat-stream.ts'
import { exampleIds } from '../schemas/example-ids.ts'
import { errorBody } from '../schemas/schemas.ts'

/** The responses of an operation in OpenAPI: its successes, and one response per error status. */
export function responsesOf(route: AnyRoute, schemas: Schemas): Json {
  const all: Record<string, Json> = { ...successes(route, schemas), ...failures(route, schemas) }
  return Object.fromEntries(
    Object.entries(all).map(([status, { headers: own = {}, ...response }]) => [
      status,
      { headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' }, ...(own as Json) }, ...response },
    ]),
  )
}

export const headers = {
  'X-Request-Id': {
    description: 'Request id, for support requests. If you send a valid id, it is used.',
    schema: { type: 'string' },
    example: exampleIds.request,
  },
  'Retry-After': {
    description: 'Number of seconds to wait before a retry. Always present with 429, and otherwise only if known.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'WWW-Authenticate': {
    description:
      'Authentication scheme, and the error if a token was rejected (RFC 9110, section 11.6.1; RFC 6750, section 3)',
    schema: { type: 'string' },
    example: 'Bearer realm="Switchyard", error="invalid_token"',
  },
  ...chatStreamHeaders,
}

const pageContent = { 'text/html': { schema: { type: 'string' } } }

function successes(route: AnyRoute, schemas: Schemas): Record<string, Json> {
  const { status } = route
  if (status === 303) return { 200: { description: 'HTML page', content: pageContent }, 303: redirect }
  const chat = route.chatStream && chatStreamOf(schemas)
  if (!route.response) return chat ? { 200: chat, [status]: nothingUnderWay } : { [status]: nothing }
  const json = route.plainText
    ? { [route.plainText]: { schema: { type: 'string' } } }
    : jsonContent(route.response as GenericSchema, schemas)
  const content = {
    ...json,
    ...(route.browser && pageContent),
    ...(route.stream && streamContent),
    ...(route.csv && csvContent),
    ...chat?.content,
  }
  const usual = { description: 'Success', ...chat, content }
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
      description: 'Server-sent event. Events without `id` are not repeated when you reconnect.',
      properties: {
        id: { type: 'string', description: 'Number of the event, for resuming the stream' },
        event: { type: 'string', description: 'Kind of the item. `error` is always the last event.' },
        data: { type: 'string', description: 'Item as JSON. For `error`: an error body.' },
      },
    },
  },
}

const csvContent = {
  'text/csv': { schema: { type: 'string', description: 'CSV with a header line (RFC 4180)' } },
}

const nothing = { description: 'Success, without a body' }

const nothingUnderWay = { description: 'No answer is in progress. The response has no body.' }

const nothingMore = { description: 'For streams: all events have been sent. Do not reconnect.' }

function jsonContent(of: GenericSchema, schemas: Schemas): Json {
  const schema = schemas.of(of, 'output')
  return { 'application/json': { schema, example: exampleOf(schema, schemas.components()) } }
}

const redirect = {
  description: 'Redirect',
  headers: { Location: { description: 'URL of the redirect', schema: { type: 'string' } } },
}

/** One response for each status. Its description, examples and schema name the codes that share the status. */
function failures(route: AnyRoute, schemas: Schemas): Record<string, Json> {
  const error = schemas.of(errorBody, 'output')
  const byStatus = Map.groupBy(codesOf(route), (code) => catalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(error, status, codes)]))
}

function failure(error: Json, status: number, codes: ErrorCode[]): Json {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  // An `enum` beside the reference, so that generated clients have one error type instead of one per status of each
  // operation.
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
