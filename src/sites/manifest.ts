import type { LeftOutTool } from './left-out.ts'
import type { ManifestTool, Scope } from './tool.ts'

/**
 * A site's manifest: what it offers and how its users sign in. Sites of every dialect are pinned and compared in this
 * form, which is that of toolsite.json (docs/specification.md, "Manifest"). Unknown members are kept.
 */
export interface Manifest {
  name: string
  version: string
  description: string
  server: ManifestServer
  auth: PastedSignIn | OAuthSite
  tools: ManifestTool[]
  /** Tools that the site lists and the platform cannot use. */
  left_out?: LeftOutTool[]
  /** The rate limit that the site requests, unchecked. */
  limits?: unknown
}

/** Where credentials are sent with tool calls. */
export interface ManifestServer {
  url: string
  /** The owner has named it, and the site does not, so the site does not move it. */
  named?: true | undefined
}

/** How a pasted token is sent. `credential`: its place, for the adapter alone; absent if it is the usual one. */
interface PastedSignIn {
  type: 'none' | 'bearer'
  credential?: unknown
}

/** How the users of a site sign in by OAuth 2.0. */
export interface OAuthSite {
  type: 'oauth2'
  authorization_url: string
  token_url: string
  scopes: Scope[]
  revocation_url?: string | undefined
  issuer?: string | undefined
  /** Members that only the adapter of a dialect with foreign authorization servers writes and reads. */
  /** The service that tokens are for (RFC 8707). */
  resource?: string | undefined
  /** The site's own scopes to request. `scopes` is empty then. */
  requested_scopes?: string[] | undefined
  /** Where clients register (RFC 7591). */
  registration_url?: string | undefined
  client_auth_methods?: string[] | undefined
  /** Whether a client may be named by the address of its metadata. */
  reads_client_documents?: boolean | undefined
  /** Whether each authorization response has `iss` (RFC 9207). */
  sends_issuer?: boolean | undefined
}
