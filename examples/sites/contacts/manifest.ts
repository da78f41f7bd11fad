import type { Tool } from './tools.ts'
import { scopes } from './users.ts'

/** The base path of the tool endpoints: a tool call is POST {origin}/api/tools/{name}. */
export const toolBase = '/api'

export const oauthPaths = { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' } as const

/**
 * The manifest at /.well-known/toolsite.json. `revocation_url` (RFC 7009) and `issuer` (RFC 9207) are extensions
 * (docs/specification.md, "Manifest"): the first lets the platform end a grant that is no longer needed, the second
 * lets it verify that an authorization code came from this site.
 */
export function createManifest(origin: string, tools: Tool[]) {
  return {
    name: 'Example contacts',
    version: '1.0.0',
    description: 'Search, add and delete the contacts of a small company.',
    server: { url: `${origin}${toolBase}` },
    auth: {
      type: 'oauth2',
      authorization_url: `${origin}${oauthPaths.authorize}`,
      token_url: `${origin}${oauthPaths.token}`,
      scopes,
      revocation_url: `${origin}${oauthPaths.revoke}`,
      issuer: origin,
    },
    tools: tools.map(({ name, description, scope, effect, input_schema }) => {
      return { name, description, scope, effect, input_schema }
    }),
  }
}
