import type { ManifestTool, Scope } from './tool.ts'

/**
 * A site's manifest: what it offers and how its users sign in. Sites of every dialect are pinned and compared in this
 * form, which is that of toolsite.json (docs/specification.md, "Manifest"). Unknown members are kept.
 */
export interface Manifest {
  name: string
  version: string
  description: string
  /** Where credentials are sent with tool calls. */
  server: { url: string }
  auth: { type: 'none' | 'bearer' } | OAuthSite
  tools: ManifestTool[]
  /** Tools that the site lists and the platform cannot use, unchecked. */
  left_out?: unknown
  /** The rate limit that the site requests, unchecked. */
  limits?: unknown
}

/** How the users of a site sign in by OAuth 2.0. */
export interface OAuthSite {
  type: 'oauth2'
  authorization_url: string
  token_url: string
  scopes: Scope[]
  revocation_url?: string | undefined
  issuer?: string | undefined
}
