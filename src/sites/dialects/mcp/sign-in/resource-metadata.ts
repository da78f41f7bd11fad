import { quotedWords } from '../../../../names.ts'
import type { SafeFetch } from '../../../../safe-fetch/safe-fetch.ts'
import { scopeWords } from '../../../scope-words.ts'
import type { Attempt } from '../attempt.ts'
import { firstDocument, invalidSignIn, readMetadata, textsIn } from './metadata.ts'

/** Authorization servers that are tried. */
const mostServers = 5

/** A protected resource, by its metadata (RFC 9728, 2). */
export interface ProtectedResource {
  /** As the metadata spells it, which is how tokens name their audience. */
  resource: string
  /** Issuers. */
  servers: string[]
  scopes: string[]
  name: unknown
}

/**
 * Reads the metadata of an MCP server as a protected resource: where its challenge says, or at the well-known addresses
 * with and without its path (MCP 2026-07-28, "Authorization Server Discovery"). Undefined if it publishes none. Throws
 * MANIFEST_NOT_FOUND and MANIFEST_INVALID.
 */
export async function readResource(
  fetch: SafeFetch,
  { url, stated }: { url: string; stated: string | undefined },
  attempt: Attempt,
): Promise<ProtectedResource | undefined> {
  if (stated === undefined) {
    const document = await firstDocument(fetch, wellKnown(new URL(url)), attempt)
    return document && resourceIn(document, url)
  }
  const read = await readMetadata(fetch, stated, attempt)
  if ('problem' in read) throw read.problem
  return resourceIn(read.document, url)
}

const folder = '/.well-known/oauth-protected-resource'

const wellKnown = ({ origin, pathname }: URL): string[] => [
  ...new Set([`${origin}${folder}${pathname.replace(/\/$/, '')}`, `${origin}${folder}`]),
]

function resourceIn(document: Record<string, unknown>, url: string): ProtectedResource {
  const { resource, authorization_servers: servers, scopes_supported: scopes, resource_name: name } = document
  if (typeof resource !== 'string' || !isAbout(resource, url))
    throw invalidSignIn(`its metadata is about another resource, ${quotedWords(String(resource))}`)
  const issuers = textsIn(servers).slice(0, mostServers)
  if (issuers.length === 0) throw invalidSignIn('its metadata names no authorization server')
  return { resource, servers: issuers, scopes: scopeWords(...textsIn(scopes)), name }
}

/** The server itself, or a beginning of its path (RFC 9728, 3.3, and MCP). */
function isAbout(resource: string, url: string): boolean {
  const [named, server] = [URL.parse(resource), new URL(url)]
  if (named?.origin !== server.origin) return false
  if (named.search !== '' && named.search !== server.search) return false
  return `${server.pathname}/`.startsWith(`${named.pathname.replace(/\/+$/, '')}/`)
}
