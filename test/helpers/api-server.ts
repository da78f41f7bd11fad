import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { startHttpsSite } from './https-server.ts'

interface ReceivedRequest {
  method: string
  /** As it was sent, with its query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** An operation of a test's document (OpenAPI 3.1, 4.8.10). */
type Operation = Record<string, unknown>

/** A document of one operation, `list_pets`, for an upload. */
export const documentOf = (server: string): string =>
  `openapi: 3.1.0\ninfo: { title: Warehouse, version: '1' }\nservers: [{ url: '${server}' }]\npaths: { /pets: { get: { operationId: list_pets } } }`

/** A parameter with a schema that accepts anything. */
export const parameter = (name: string, place: string, more: object = {}) => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  schema: {},
  ...more,
})

/** A body of this type with any value. */
export const bodyOf = (type: string) => ({ requestBody: { content: { [type]: { schema: {} } } } })

/**
 * An HTTPS API with an OpenAPI document at `/openapi.json`, whose operations are keyed `GET /pets`. It records the
 * requests to its server, `/v1`, and answers with what it got, unless the test answers.
 */
export async function startApi(t: ExecutionContext, operations: Record<string, Operation>, more: object = {}) {
  const api = {
    origin: '',
    documentUrl: '',
    serverUrl: '',
    document: {} as Record<string, unknown>,
    received: [] as ReceivedRequest[],
    /** Of the requests for anything else, such as manifests. */
    strays: [] as ReceivedRequest[],
    answer: undefined as RequestListener | undefined,
    operations,
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const seen = { method, url, headers, body: await text(request) }
    const isDocument = url === '/openapi.json' && method === 'GET'
    if (isDocument) return void response.end(JSON.stringify({ ...api.document, paths: pathsOf(api.operations) }))
    if (!url.startsWith('/v1')) {
      api.strays.push(seen)
      return void response.writeHead(404).end()
    }
    api.received.push(seen)
    if (api.answer) return api.answer(request, response)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ method, url }))
  }
  const { origin } = await startHttpsSite(t, (request, response) => void handle(request, response))
  api.document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, servers: [{ url: '/v1' }], ...more }
  return Object.assign(api, { origin, documentUrl: `${origin}/openapi.json`, serverUrl: `${origin}/v1` })
}

export type Api = Awaited<ReturnType<typeof startApi>>

function pathsOf(operations: Record<string, Operation>) {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [key, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = key.split(' ')
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: {}, ...operation } }
  }
  return paths
}
