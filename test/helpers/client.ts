import type { Readable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { request as send } from 'undici'
import type { GenericSchema, InferInput, InferOutput } from 'valibot'
import type { Params } from '../../api/route/request-facts.ts'
import type { AnyRoute, Route } from '../../api/route/route.ts'
import { codesOf } from '../../api/route/route-rules.ts'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { violations, inWords, responseOf } from './openapi-schemas.ts'

/**
 * A client typed by the routes' declarations. It throws if a response violates its declaration: another status, an
 * undeclared code, or a body that does not match the schema in the OpenAPI document.
 */
export interface Client {
  url: string
  /** An access token or API key. */
  token?: string | undefined
}

type In<Schema> = Schema extends GenericSchema ? InferInput<Schema> : undefined
/** The type after JSON: dates become strings. */
type Sent<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined

interface Request<Path extends string, Query, Body> {
  params?: Params<Path>
  query?: Partial<Record<keyof In<Query>, string>>
  body?: In<Body>
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

export interface Failure {
  error: string
  code: ErrorCode
  statusCode: number
  details?: { path: string; message: string }[]
}

export interface Answer<Body> {
  status: number
  headers: Headers
  /** The body of a success; throws on a failure. */
  body: Body
  /** The body of a failure; throws on a success. */
  failure: Failure
}

/** Sends a raw request and does not check its response, because checking a mebibyte takes long. */
export async function sendRaw(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer | Readable },
): Promise<{ status: number; bytes: Buffer }> {
  const answer = await send(url, { method, headers, body: body ?? null })
  return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) }
}

/** Sends a request whose response the test reads at its own pace. */
export const open = (url: string, headers: Record<string, string>) => send(url, { headers })

/** Sends one request to a route. */
export async function call<
  Path extends string,
  Query extends GenericSchema | undefined,
  Body extends GenericSchema | undefined,
  Response extends GenericSchema | undefined,
  // oxlint-disable-next-line typescript/no-explicit-any -- access and resource do not matter to a client
>(
  client: Client,
  // oxlint-disable-next-line typescript/no-explicit-any -- access and resource do not matter to a client
  route: Route<Path, any, Query, Body, Response, any, any>,
  request: Request<Path, Query, Body> = {},
): Promise<Answer<Sent<Response>>> {
  // Not fetch, whose overhead exceeds the cost of most routes. Tests send many requests.
  const answer = await send(client.url + pathOf(route.path, request), {
    method: route.method.toUpperCase(),
    headers: headersOf(client, request),
    body: bodyOf(request) ?? null,
  })
  const status = answer.statusCode
  const text = await answer.body.text()
  const isText = route.plainText !== undefined && status < 400
  const body: unknown = isText ? text : text === '' ? undefined : JSON.parse(text)
  check(route as AnyRoute, status, body)
  return {
    status,
    get headers() {
      return new Headers(pairs(answer.headers))
    },
    get body() {
      if (status < 400) return body as Sent<Response>
      throw new Error(`${route.name} failed: ${text}`)
    },
    get failure() {
      if (status >= 400) return body as Failure
      throw new Error(`${route.name} did not fail: ${text.slice(0, 500)}`)
    },
  }
}

const pairs = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers).flatMap(([name, given]) => [given ?? []].flat().map((one): [string, string] => [name, one]))

function pathOf(path: string, { params = {}, query }: Request<string, unknown, unknown>): string {
  const named = params as Record<string, string>
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''))
  return query ? `${filled}?${new URLSearchParams(query as Record<string, string>).toString()}` : filled
}

const headersOf = (client: Client, request: Request<string, unknown, unknown>): Record<string, string> => ({
  ...(bodyOf(request) !== undefined && { 'content-type': 'application/json' }),
  ...(client.token !== undefined && { authorization: `Bearer ${client.token}` }),
  ...request.headers,
})

const bodyOf = ({ raw, body }: Request<string, unknown, unknown>): string | Uint8Array | undefined =>
  raw ?? (body === undefined ? undefined : JSON.stringify(body))

/** Throws unless the route declares this response. */
export function check(route: AnyRoute, status: number, body: unknown): void {
  if (status >= 400) return checkFailure(route, status, body)
  const declared = status === route.status || route.alternatives?.[status] !== undefined
  if (!declared) throw new Error(`${route.name} answered ${status}, not ${route.status}`)
  const schema = responseOf(route, status)?.content?.['application/json']?.schema
  if (!schema) {
    if (body !== undefined && !route.plainText)
      throw new Error(`${route.name} answered with a body that is not declared`)
    return
  }
  const errors = violations(schema, body)
  if (errors.length > 0) throw new Error(`${route.name} broke its response schema: ${inWords(errors)}`)
}

function checkFailure(route: AnyRoute, status: number, body: unknown): void {
  const { code, statusCode, error } = (body ?? {}) as Partial<Failure>
  const declared = code !== undefined && codesOf(route).includes(code)
  if (!declared) throw new Error(`${route.name} answered an undeclared code: ${status} ${JSON.stringify(body)}`)
  if (status !== statusCode || status !== catalogue[code].status || typeof error !== 'string' || error === '') {
    throw new Error(`${route.name} answered a malformed error: ${status} ${JSON.stringify(body)}`)
  }
  const schema = responseOf(route, status)?.content?.['application/json']?.schema
  const errors = schema ? violations(schema, body) : []
  if (errors.length > 0) throw new Error(`${route.name} broke the schema of its errors: ${inWords(errors)}`)
}
