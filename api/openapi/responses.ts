import type { GenericSchema } from 'valibot'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { schemaOf } from './json-schema.ts'
import type { AnyRoute } from '../route/route.ts'
import { codesOf } from '../route/route-rules.ts'

type Json = Record<string, unknown>

/** The responses of an operation in OpenAPI: its successes, and one per status of its failures. */
export const responsesOf = (route: AnyRoute): Json => ({ ...successes(route), ...failures(route) })

const pageContent = { 'text/html': { schema: { type: 'string' } } }

function successes(route: AnyRoute): Json {
  const { status } = route
  if (status === 303) return { 200: { description: 'A page.', content: pageContent }, 303: redirect }
  if (!route.response) return { [status]: { description: 'Done; there is no body.' } }
  const json = jsonContent(route.response as GenericSchema)
  const content = { ...json, ...(route.browser && pageContent), ...(route.stream && streamContent) }
  const usual = { description: 'Done.', content }
  const others = Object.entries(route.alternatives ?? {}).map(([other, { description, response }]) => [
    other,
    { description, content: jsonContent(response) },
  ])
  return { [status]: usual, ...(route.stream && { 204: nothingMore }), ...Object.fromEntries(others) }
}

const streamContent = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Server-sent events: `id` is the number of the item, `event` its kind, `data` the item as in JSON. The `data` ' +
        'of an `error` event is an error body; the event is the last.',
    },
  },
}

const nothingMore = { description: 'For a stream: there are no more events, and there will be none. Do not reconnect.' }

const jsonContent = (of: GenericSchema): Json => ({ 'application/json': { schema: schemaOf(of, 'output') } })

const redirect = {
  description: 'Redirect to another address.',
  headers: { Location: { description: 'The address', schema: { type: 'string' } } },
}

/** One response per status. Its description and its examples list the codes that share the status. */
function failures(route: AnyRoute): Json {
  const byStatus = Map.groupBy(codesOf(route), (code) => catalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(status, codes)]))
}

function failure(status: number, codes: ErrorCode[]): Json {
  const examples = codes.map((code) => [code, { value: { error: catalogue[code].message, code, statusCode: status } }])
  const content = { 'application/json': { schema: errorReference, examples: Object.fromEntries(examples) } }
  const headers = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } }
  return { description: codes.join(', '), ...(status === 429 && { headers }), content }
}

const errorReference = { $ref: '#/components/schemas/Error' }
