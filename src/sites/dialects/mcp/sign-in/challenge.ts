import { scopeWords } from '../../../scope-words.ts'

/** What a server wants, by `WWW-Authenticate` (RFC 6750, 3 and RFC 9728, 5.1). */
export interface Challenge {
  error?: string | undefined
  /** The address of the metadata about the protected resource. */
  resourceMetadata?: string | undefined
  scopes: string[]
}

/** A name, and a value as a quoted string or as a token. Bounded, so that no header takes long. */
const parameter = /(?<![\w-])([\w-]{1,40})\s{0,8}=\s{0,8}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g

/** Reads the challenge of a refusal. Of parameters that occur more than once, the first counts. */
export function challengeIn(headers: Headers): Challenge {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, plain] of (headers.get('www-authenticate') ?? '').matchAll(parameter)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '')
  }
  return {
    error: parameters.get('error'),
    resourceMetadata: parameters.get('resource_metadata'),
    scopes: scopeWords(parameters.get('scope') ?? ''),
  }
}

/** Whether a refusal wants a bearer token (RFC 6750, 3), as one challenge of several at least. */
export const isBearerChallenge = (headers: Headers): boolean =>
  /(?:^|,)\s*bearer(?:[\s,]|$)/i.test(headers.get('www-authenticate') ?? '')
