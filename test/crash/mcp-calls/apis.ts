import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { markIn, type PlannedCall } from './plan.ts'

/** An operation of the documents: where a call with a mark goes (OpenAPI 3.1, 4.8.10). */
const operations = {
  create_order: { method: 'POST', path: '/orders' },
  find_order: { method: 'GET', path: '/orders' },
  put_note: { method: 'PUT', path: '/notes/{id}' },
  delete_note: { method: 'DELETE', path: '/notes/{id}' },
} as const

type OperationName = keyof typeof operations

/** The APIs that have a document instead of MCP, and their operations. */
export const operationsOf = {
  orders: ['create_order', 'find_order'],
  notes: ['put_note', 'delete_note'],
} as const satisfies Record<string, readonly OperationName[]>

export type ApiName = keyof typeof operationsOf

export const isApi = (name: string): name is ApiName => name in operationsOf

const string = { type: 'string' }
const parameterOf = (path: string) => ({ name: 'id', in: path.includes('{id}') ? 'path' : 'query', required: true })
const content = { 'application/json': { schema: { type: 'object', properties: { id: string } } } }

function described(name: OperationName) {
  const { method, path } = operations[name]
  const given =
    method === 'POST' ? { requestBody: { content } } : { parameters: [{ ...parameterOf(path), schema: string }] }
  return { path, method: method.toLowerCase(), operation: { operationId: name, ...given, responses: {} } }
}

function documentOf(api: ApiName) {
  const paths: Record<string, Record<string, object>> = {}
  for (const { path, method, operation } of operationsOf[api].map(described))
    paths[path] = { ...paths[path], [method]: operation }
  return { openapi: '3.1.0', info: { title: api, version: '1' }, servers: [{ url: '/v1' }], paths }
}

/** An API at a socket: its document, and a server that runs `execute` for each request that changes something. */
export const listenerOf =
  (api: ApiName, execute: (mark: string) => number): RequestListener =>
  (request, response) => {
    void text(request).then((body) => {
      const { method, url = '' } = request
      if (method === 'GET' && url === '/openapi.json') return response.end(JSON.stringify(documentOf(api)))
      if (!url.startsWith('/v1/')) return response.writeHead(404).end()
      const count = method === 'GET' ? 0 : execute(markIn(url + body))
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ count }))
    })
  }

/** The request of a call, for a program without Switchyard. */
export function requestOf({ tool, mark }: PlannedCall): { path: string; init: RequestInit } {
  const { method, path } = operations[tool as OperationName]
  const init = { method, headers: { 'content-type': 'application/json' } }
  if (method === 'POST') return { path, init: { ...init, body: JSON.stringify({ id: mark }) } }
  return { path: path.includes('{id}') ? path.replace('{id}', mark) : `${path}?id=${mark}`, init }
}
