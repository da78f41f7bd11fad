import type { Tool } from './tools.ts'
import { scopes } from './users.ts'

/** The path under which the tool endpoints live: a tool call is POST {origin}/api/tools/{name}. */
export const toolBase = '/api'

export const oauthPaths = { authorize: '/oauth/authorize', token: '/oauth/token', revoke: '/oauth/revoke' } as const

/**
 * What the platform reads at /.well-known/toolsite.json. `revocation_url` (RFC 7009) and `issuer` (RFC 9207) are
 * extensions (docs/specification.md, "Manifest"): with the one the platform can end a grant that nobody needs any more,
 * with the other it can tell that an authorisation code came from this site and no other.
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
