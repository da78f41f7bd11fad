import type { CredentialPlace } from '../operation.ts'
import type { BuiltRequest } from './build-request.ts'
import { encoded } from './encode.ts'

/** The request with the owner's credential where the document wants it (OpenAPI 3.1, 4.8.27). */
export function withCredential(
  request: BuiltRequest,
  token: string,
  place: CredentialPlace,
): BuiltRequest | { problem: string } {
  if (token === '') return request
  if ('scheme' in place) return withHeader(request, 'authorization', authorization(place.scheme, token))
  if (place.in === 'header') return withHeader(request, place.name.toLowerCase(), token)
  if (place.in === 'cookie') return { problem: 'The site wants the credential in a cookie, which is not supported.' }
  return { ...request, url: withParameter(request.url, encoded(place.name), encoded(token)) }
}

const authorization = (scheme: 'bearer' | 'basic', token: string): string =>
  scheme === 'basic' ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`

const withHeader = (request: BuiltRequest, name: string, value: string): BuiltRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** An argument of the same name must not stand beside the credential. */
function withParameter(url: string, name: string, value: string): string {
  // A value may hold a question mark (RFC 3986, 3.4).
  const at = url.indexOf('?')
  const [path, query] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const others = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== name)
  return `${path}?${[...others, `${name}=${value}`].join('&')}`
}

/**
 * What a site could quote of a credential besides the credential itself: the password of a user, and the name, which is
 * a key at some sites.
 */
export function secretsIn(token: string, place: CredentialPlace): string[] {
  const at = token.indexOf(':')
  const isPair = 'scheme' in place && place.scheme === 'basic' && at !== -1
  return isPair ? [token.slice(0, at), token.slice(at + 1)] : []
}
