/** An OpenID Connect provider, of the installation or of a workspace. */
export interface Provider {
  /** What stands in addresses: a name, or the id of the workspace. */
  id: string
  /** What people know it by. */
  title: string
  issuer: string
  clientId: string
  clientSecret: string
  /** The row of a workspace's provider; null for one of the installation, which the operator trusts with addresses. */
  workspaceProviderId: string | null
}

/** The workspace whose provider it is; null for one of the installation. */
export const workspaceOf = ({ id, workspaceProviderId }: Provider): string | null =>
  workspaceProviderId === null ? null : id

/** The folder of the pages of signing in, which the cookies are limited to. */
export const folder = '/auth/oidc'

/** Distinct for each provider: an answer that comes back by the address of another one is refused (RFC 9700, 4.4). */
export const redirectUriOf = (baseUrl: string, providerId: string): string =>
  `${baseUrl}${folder}/${providerId}/callback`

export const startUrlOf = (baseUrl: string, providerId: string): string => `${baseUrl}${folder}/${providerId}/start`
