import { isObject } from '../../../../json.ts'
import { readExactly } from '../../../../outputs/exact-json.ts'
import { isOwnHeader } from '../document/headers.ts'
import type { OperationParameter, OperationRequest } from '../operation.ts'
import { bodyOf } from './body.ts'
import { itemsOf, pathOf } from './path.ts'
import { inQuery } from './query.ts'
import { isGiven, partsOf, textOf, type Value } from './values.ts'

export interface BuiltRequest {
  method: OperationRequest['method']
  url: string
  headers: Record<string, string>
  body?: string | undefined
}

/**
 * The request of a call: what its arguments (JSON text) become by the pinned operation, or why nothing can be sent.
 * Numbers are sent as they were written. The credential is not in it.
 */
export function buildRequest(
  serverUrl: string,
  operation: OperationRequest,
  args: string,
): BuiltRequest | { problem: string } {
  // Without the members of every object, such as `toString`, which a parameter may be named like.
  const values = Object.assign(Object.create(null), readExactly(args)) as Record<string, Value>
  const at = (place: OperationParameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  const path = pathOf(operation.path, at('path'), values)
  if ('problem' in path) return path
  const query = at('query').flatMap((parameter) => inQuery(parameter, values[parameter.property]))
  const url = `${serverUrl.replace(/\/+$/, '')}${path.path}`
  const whole = query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`
  const headers = headersOf(at('header'), values)
  if ('problem' in headers) return headers
  return withBody({ method: operation.method, url: whole, headers: headers.set }, operation.body, values)
}

function withBody(
  request: BuiltRequest,
  declared: OperationRequest['body'],
  values: Record<string, Value>,
): BuiltRequest | { problem: string } {
  const value = declared && values[declared.property]
  const mayHaveBody = request.method !== 'GET' && request.method !== 'HEAD'
  if (!declared || value === undefined || !mayHaveBody) return request
  const made = bodyOf(declared, value)
  if ('problem' in made) return made
  return { ...request, body: made.body, headers: { ...request.headers, 'content-type': declared.mediaType } }
}

/** An argument must not replace the credential, the connection or the key of a call. */
function headersOf(
  parameters: readonly OperationParameter[],
  values: Record<string, Value>,
): { set: Record<string, string> } | { problem: string } {
  const set: Record<string, string> = {}
  for (const parameter of parameters) {
    const { name, property, explode, mediaType } = parameter
    const value = values[property]
    if (!isGiven(value) || isOwnHeader(name)) continue
    const plain = (text: string) => text
    const text = mediaType === undefined ? itemsOf(partsOf(value), explode, plain).join(',') : textOf(value)
    if (!/^[\t\x20-\x7e]*$/.test(text))
      return { problem: `"${property}" is sent in a header, so it may have only visible ASCII characters and spaces.` }
    set[name.toLowerCase()] = text
  }
  return { set }
}

/** Reads what was pinned; undefined for a tool that is pinned without it. */
export const operationIn = (request: unknown): OperationRequest | undefined =>
  isObject(request) ? (request as unknown as OperationRequest) : undefined
