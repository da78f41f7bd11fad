import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Provider, type Configuration } from 'oidc-provider'
import { oauthPaths } from './manifest.ts'
import { errorPage } from './pages.ts'
import { signInPath } from './sign-in.ts'
import type { Storage } from './storage.ts'
import { findUser, scopes } from './users.ts'

export interface OAuthOptions {
  /** The site's origin; sent with every code, so that the platform knows whose it is (RFC 9207). */
  issuer: string
  /** Where the platform may be sent back to, compared letter by letter. */
  redirectUris: string[]
  storage: Storage
  /** Asked anew for each token. */
  accessTokenSeconds: () => number
}

const day = 24 * 60 * 60

/**
 * The site as an OAuth server, for one client: a public one that proves itself by PKCE with S256 (oidc-provider knows
 * no other method). Access tokens are opaque. A refresh token is good once; whoever comes with a used one ends the
 * whole grant, because then two have it, and one of them stole it (RFC 9700, 4.14.2).
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
    // The platform works while its user is away: signing out of the site must not end that.
    expiresWithSession: async () => false,
    // A grant of its own for each consent: ending one connection leaves the user's other ones alone.
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
      // Browsers do not tell ports apart: without names of our own, all sites of one machine would share cookies.
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
  // To be a native application would make every port of a loopback address a good one.
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
  // A grant outlives the refresh tokens that come of it, as long as they are used.
  Grant: 3650 * day,
  Interaction: 3600,
  Session: day,
  IdToken: 3600,
})

/** Nothing is signed with it, since no scope of ours makes an ID token; oidc-provider wants one all the same. */
const signingKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg: 'ES256',
})
