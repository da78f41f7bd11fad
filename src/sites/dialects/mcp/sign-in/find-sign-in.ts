import { isCoded, type CodedError } from '../../../../errors.ts'
import type { SafeFetch } from '../../../../safe-fetch/safe-fetch.ts'
import type { OAuthSite } from '../../../manifest.ts'
import { scopeWords } from '../../../scope-words.ts'
import type { Attempt } from '../attempt.ts'
import { challengeIn } from './challenge.ts'
import { readResource, type ProtectedResource } from './resource-metadata.ts'
import { noMetadata, readServer, type ServerMetadata } from './server-metadata.ts'

/** How the users of a server sign in, and what it is named. */
interface SignIn {
  auth: OAuthSite
  server: { name?: unknown }
}

/**
 * Makes the function that finds out how users sign in at an MCP server that refused a request without a token
 * (MCP 2026-07-28, "Authorization"). It returns undefined if the server publishes no metadata. Every address of a
 * stranger goes through the safe fetch, all within the time of the attempt. Throws MANIFEST_NOT_FOUND and
 * MANIFEST_INVALID.
 */
export function createFindSignIn({ fetch }: { fetch: SafeFetch }) {
  /** The first usable server. The problem of the first one that is not usable is the most interesting. */
  async function firstServer({ servers }: ProtectedResource, attempt: Attempt): Promise<ServerMetadata> {
    const problems: CodedError[] = []
    for (const issuer of servers) {
      try {
        const found = await readServer(fetch, issuer, attempt)
        if (found) return found
        problems.push(noMetadata(issuer))
      } catch (error) {
        if (!isCoded(error)) throw error
        problems.push(error)
      }
    }
    throw problems[0]
  }

  /** Servers of the first revision are their own authorization servers, and have no metadata about the resource. */
  async function serverAt({ origin }: URL, attempt: Attempt): Promise<ServerMetadata | undefined> {
    return readServer(fetch, origin, attempt)
  }

  return async (url: string, headers: Headers, attempt: Attempt): Promise<SignIn | undefined> => {
    const { resourceMetadata: stated, scopes } = challengeIn(headers)
    const resource = await readResource(fetch, { url, stated }, attempt)
    const server = resource ? await firstServer(resource, attempt) : await serverAt(new URL(url), attempt)
    if (!server) return undefined
    const wanted = scopes.length > 0 ? scopes : (resource?.scopes ?? [])
    const auth = toAuth(server, resource?.resource ?? url, withRefresh(wanted, server))
    return { auth, server: { name: resource?.name } }
  }
}

/** Without this scope, many servers give no refresh token (OpenID Connect Core, 11). */
const withRefresh = (scopes: string[], { scopes_supported: offered }: ServerMetadata): string[] =>
  scopeWords(...scopes, ...(offered.includes('offline_access') ? ['offline_access'] : []))

function toAuth(server: ServerMetadata, resource: string, scopes: string[]): OAuthSite {
  const { registration_endpoint: registration, revocation_endpoint: revocation } = server
  const methods = server.token_endpoint_auth_methods_supported
  return {
    type: 'oauth2',
    authorization_url: server.authorization_endpoint,
    token_url: server.token_endpoint,
    scopes: [],
    ...(revocation !== undefined && { revocation_url: revocation }),
    issuer: server.issuer,
    resource,
    requested_scopes: scopes,
    ...(registration !== undefined && { registration_url: registration }),
    ...(methods !== undefined && { client_auth_methods: methods }),
    ...(server.client_id_metadata_document_supported === true && { reads_client_documents: true }),
    ...(server.authorization_response_iss_parameter_supported === true && { sends_issuer: true }),
  }
}
