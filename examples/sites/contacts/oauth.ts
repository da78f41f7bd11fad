import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Provider, type Configuration } from 'oidc-provider'
import { oauthPaths } from './manifest.ts'
import { errorPage } from './pages.ts'
import { signInPath } from './sign-in.ts'
import type { Storage } from './storage.ts'
import { findUser, scopes } from './users.ts'

export interface OAuthOptions {
  /** The site's origin; sent with every code, so that the platform can verify its source (RFC 9207). */
  issuer: string
  /** The platform's redirect URIs, compared character by character. */
  redirectUris: string[]
  storage: Storage
  /** Called for each token. */
  accessTokenSeconds: () => number
}

const day = 24 * 60 * 60

/**
 * The site's OAuth server, for one public client with PKCE and S256 (oidc-provider supports no other method). Access
 * tokens are opaque. A refresh token is valid once. Its reuse ends the whole grant, because two parties have it and
 * one of them stole it (RFC 9700, 4.14.2).
 */
export function createOAuth({ issuer, redirectUris, storage, accessTokenSeconds }: OAuthOptions): Provider {
  const provider = new Provider(issuer, {
    adapter: storage.adapter,
    clients: [switchyard(redirectUris)],
    scopes: [...scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    pkce: { required: () => true },
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      revocation: oauthPaths.revoke,
      jwks: '/oauth/keys',
      end_session: '/oauth/sign-out',
    },
    interactions: { url: (_ctx, interaction) => `${signInPath}/${interaction.uid}` },
    findAccount: async (_ctx, sub) => findUser(sub) && { accountId: sub, claims: async () => ({ sub }) },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    // The platform works while its user is away, so signing out of the site must not end that.
    expiresWithSession: async () => false,
    // Each consent has its own grant, so that ending one connection does not affect the user's others.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId)
    },
    ttl: lifetimes(accessTokenSeconds),
    clockTolerance: 0,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    clientBasedCORS: () => false,
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      // Cookies ignore ports. Without unique names, all sites on one machine would share them.
      names: { session: 'contacts_session', interaction: 'contacts_sign_in', resume: 'contacts_resume' },
      long: { httpOnly: true, sameSite: 'lax', secure: true, signed: true },
      short: { httpOnly: true, sameSite: 'lax', secure: true, signed: true },
    },
    jwks: { keys: [signingKey()] },
    renderError: async (ctx, { error, error_description: description }) => {
      ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
      ctx.type = 'html'
      ctx.body = errorPage(error, description)
    },
  })
  provider.on('server_error', (_ctx, error) => console.error(error))
  return provider
}

const switchyard = (redirectUris: string[]) => ({
  client_id: 'switchyard',
  client_name: 'Switchyard',
  // A native application may use any port of a loopback address.
  application_type: 'web' as const,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code' as const],
  redirect_uris: redirectUris,
  id_token_signed_response_alg: 'ES256' as const,
})

/** In seconds. */
const lifetimes = (accessTokenSeconds: () => number): NonNullable<Configuration['ttl']> => ({
  AccessToken: () => accessTokenSeconds(),
  AuthorizationCode: 60,
  RefreshToken: 30 * day,
  // A grant lives longer than its refresh tokens, which rotate.
  Grant: 3650 * day,
  Interaction: 3600,
  Session: day,
  IdToken: 3600,
})

/** Signs nothing, because no scope here issues an ID token; oidc-provider requires it anyway. */
const signingKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg: 'ES256',
})
