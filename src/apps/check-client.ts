import { errors } from 'oidc-provider'
import { mostRedirectUris, problemOfRedirectUri } from './redirect-uris.ts'

/** The largest metadata of a client, as JSON, in bytes. */
export const maxClientBytes = 5 * 1024

/**
 * Checks the metadata of a client, registered or from its own address (RFC 7591, 2), and makes it a public client: it
 * proves itself with PKCE, because a secret that anybody can register proves nothing. Throws invalid_redirect_uri and
 * invalid_client_metadata (RFC 7591, 3.2.2).
 */
export function checkClient(metadata: Record<string, unknown>): void {
  const uris = metadata['redirect_uris']
  const list = Array.isArray(uris) ? (uris as unknown[]) : []
  if (list.length > mostRedirectUris) refuse(`redirect_uris must have at most ${mostRedirectUris} items`)
  for (const uri of list) {
    const problem = problemOfRedirectUri(uri)
    if (problem !== undefined) refuse(`redirect_uris ${problem}`)
  }
  const isLarge = Buffer.byteLength(JSON.stringify(metadata)) > maxClientBytes
  if (isLarge) refuse(`the metadata must have at most ${maxClientBytes} bytes`)
  metadata['token_endpoint_auth_method'] = 'none'
  // A client may ask for more later, for one call. The person decides, not the registration.
  delete metadata['scope']
  // The library ignores the port of a loopback address for native clients only (RFC 8252, 7.3).
  metadata['application_type'] = 'native'
}

/** The library names the error after the start of the sentence. */
function refuse(sentence: string): never {
  throw new errors.InvalidClientMetadata(sentence)
}
