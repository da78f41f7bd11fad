/** An OpenID Connect provider, of the installation or of a workspace. */
export interface Provider {
  /** The name in URLs: the provider's name, or the workspace's id. */
  id: string
  /** The name that users see. */
  title: string
  issuer: string
  clientId: string
  clientSecret: string
  /**
   * The id of a workspace's provider; null for one of the installation, whose verified addresses the operator trusts.
   */
  workspaceProviderId: string | null
}

/** The provider's workspace; null for one of the installation. */
export const workspaceOf = ({ id, workspaceProviderId }: Provider): string | null =>
  workspaceProviderId === null ? null : id

/** The path of the sign-in pages, to which the cookies are limited. */
export const folder = '/auth/oidc'

/** Each provider has its own: a response at another provider's address is refused (RFC 9700, 4.4). */
export const redirectUriOf = (baseUrl: string, providerId: string): string =>
  `${baseUrl}${folder}/${providerId}/callback`

export const startUrlOf = (baseUrl: string, providerId: string): string => `${baseUrl}${folder}/${providerId}/start`
