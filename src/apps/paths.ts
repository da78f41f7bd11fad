/** The path of the MCP endpoint, for which the authorization server issues tokens. */
export const mcpPath = '/mcp'

/** The paths of the authorization server. */
export const serverPaths = {
  authorization: '/mcp/authorize',
  token: '/mcp/token',
  registration: '/mcp/register',
  revocation: '/mcp/revoke',
  jwks: '/.well-known/jwks.json',
} as const

/** RFC 8414, 3, and RFC 9728, 3.1. */
export const serverMetadataPath = '/.well-known/oauth-authorization-server'
export const resourceMetadataPath = `/.well-known/oauth-protected-resource${mcpPath}`

/** Where a browser waits for the person's decision. Its cookie is sent to paths below it. */
export const requestPath = (requestId: string): string => `/mcp/requests/${requestId}`
