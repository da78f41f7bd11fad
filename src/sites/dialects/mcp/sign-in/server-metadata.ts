import * as v from 'valibot'
import { CodedError } from '../../../../errors.ts'
import { quotedWords } from '../../../../names.ts'
import type { SafeFetch } from '../../../../safe-fetch/safe-fetch.ts'
import { siteUrlProblem } from '../../../../safe-fetch/site-url.ts'
import type { Attempt } from '../attempt.ts'
import { firstDocument, invalidSignIn, textsIn } from './metadata.ts'

const isSiteUrl = (text: string): boolean => siteUrlProblem(text) === undefined
const address = v.pipe(v.string('must be a text'), v.check(isSiteUrl, 'must be a valid https address'))
const names = v.pipe(
  v.array(v.unknown()),
  v.transform((list) => textsIn(list).slice(0, 100)),
)

/** The metadata of an authorization server that is used (RFC 8414, 2; OpenID Connect Discovery, 3). */
const serverMetadata = v.object({
  issuer: v.string('must be a text'),
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: v.optional(address),
  revocation_endpoint: v.optional(address),
  scopes_supported: v.optional(names, []),
  code_challenge_methods_supported: v.optional(names, []),
  token_endpoint_auth_methods_supported: v.optional(names),
  authorization_response_iss_parameter_supported: v.optional(v.unknown()),
  client_id_metadata_document_supported: v.optional(v.unknown()),
})

export type ServerMetadata = v.InferOutput<typeof serverMetadata>

/**
 * Reads the metadata of the authorization server with this issuer: as RFC 8414 defines, then as OpenID Connect
 * Discovery does. Undefined if it publishes none. Throws MANIFEST_NOT_FOUND, and MANIFEST_INVALID for an unusable server:
 * another issuer (RFC 8414, 3.3), or one without S256 (MCP 2026-07-28, "Authorization Code Protection").
 */
export async function readServer(
  fetch: SafeFetch,
  issuer: string,
  attempt: Attempt,
): Promise<ServerMetadata | undefined> {
  const named = quotedWords(issuer)
  if (!isSiteUrl(issuer) || new URL(issuer).search !== '')
    throw invalidSignIn(`its authorization server ${named} is not a valid https address`)
  const document = await firstDocument(fetch, addressesOf(new URL(issuer)), attempt)
  if (!document) return undefined
  const said = document['issuer']
  if (said !== issuer)
    throw invalidSignIn(`its authorization server ${named} says that it is ${quotedWords(String(said))}`)
  const read = v.safeParse(serverMetadata, document)
  if (!read.success) throw invalidSignIn(`the metadata of ${named} is invalid: ${problemIn(read.issues[0])}`)
  if (!read.output.code_challenge_methods_supported.includes('S256'))
    throw invalidSignIn(`its authorization server ${named} does not offer PKCE with S256, which protects every sign-in`)
  return read.output
}

/** With a path, it comes after the well-known part, and for OpenID Connect also before it. */
function addressesOf({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/\/+$/, '')
  const [oauth, openId] = [`${origin}/.well-known/oauth-authorization-server`, '/.well-known/openid-configuration']
  return [...new Set([`${oauth}${path}`, `${origin}${openId}${path}`, `${origin}${path}${openId}`])]
}

const problemIn = (issue: v.BaseIssue<unknown>): string =>
  `${issue.path?.map(({ key }) => String(key)).join('.') ?? 'it'} ${issue.received === 'undefined' ? 'is missing' : issue.message}`

/** MANIFEST_NOT_FOUND for a server that publishes nothing. */
export const noMetadata = (issuer: string): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', {
    message: `The MCP server requires sign-in, but its authorization server ${quotedWords(issuer)} publishes no metadata.`,
  })
