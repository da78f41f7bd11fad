import { createPrivateKey } from 'node:crypto'
import { interactionPolicy, Provider, errors, type Configuration } from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import { derivedToken } from '../secrets/opaque-tokens.ts'
import { readSigningKeys, secretsOfKeys } from '../users/signing-keys.ts'
import { appScopes } from './app-scopes.ts'
import { checkClient, maxClientBytes } from './check-client.ts'
import { fetchDocument } from './fetch-document.ts'
import { createGrants, noSessions } from './grants.ts'
import { findApp } from './find-app.ts'
import { requestPath, serverPaths } from './paths.ts'
import type { Records } from './records.ts'
import { nameTokens } from './token-names.ts'

/** How long a person has to sign in and agree, in seconds. */
const requestSeconds = 600
const codeSeconds = 60
const day = 86_400

/** How long the metadata document of a client is kept by a process, in seconds, whatever its headers say. */
const documentSeconds = { min: 60, max: 3600 }

/**
 * The authorization server of the MCP endpoint: OAuth 2.1 with a code and PKCE for public clients, and nothing else of
 * what the library can do. Clients register themselves or publish their metadata, a person agrees in the console, and
 * refresh tokens work once.
 */
export function createAuthorizationServer(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'http'>
  fetch: SafeFetch
  records: Records
  resource: string
}): Provider {
  const { config, fetch, records, resource } = context
  const grants = createGrants(context)
  const adapterOf = (kind: string) =>
    kind === 'Grant' ? grants : kind === 'Session' ? noSessions : records.adapterOf(kind)
  const provider = new Provider(config.http.baseUrl, {
    ...restricted,
    adapter: adapterOf,
    clients: [],
    jwks: { keys: [signingKey(config.auth.privateKeys)] },
    cookies: cookiesOf(config),
    ttl: {
      AccessToken: config.auth.accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      Grant: config.auth.refreshTokenDays * day,
      Interaction: requestSeconds,
      RefreshToken: config.auth.refreshTokenDays * day,
      Session: requestSeconds,
    },
    features: { ...featuresOff, ...clientsKnown, resourceIndicators: onlyFor(resource) },
    findAccount: (_, id) => findApp(context, id),
    fetch: fetchDocument(fetch),
  })
  provider.proxy = true
  // Clients are public, so none gets a secret, whatever it asks for.
  Object.assign(provider.Client, { needsSecret: () => false })
  nameTokens(provider)
  return provider
}

/** Clients that register themselves (RFC 7591), and those whose id is the address of their metadata. */
const clientsKnown = {
  registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
  clientIdMetadataDocument: { enabled: true, ack: 'draft-02', cacheDuration: documentSeconds },
} satisfies Configuration['features']

const featuresOff = {
  devInteractions: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  requestObjects: { enabled: false },
  claimsParameter: { enabled: false },
  introspection: { enabled: false },
  revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
} satisfies Configuration['features']

/** Tokens are for the MCP endpoint alone (RFC 8707), also those of clients that name no resource. */
const onlyFor = (resource: string): NonNullable<Configuration['features']>['resourceIndicators'] => ({
  enabled: true,
  defaultResource: () => resource,
  useGrantedResource: () => true,
  getResourceServerInfo(_ctx, asked) {
    if (asked !== resource) throw new errors.InvalidTarget('tokens are issued for the MCP endpoint only', resource)
    return { scope: appScopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
  },
})

const restricted = {
  routes: serverPaths,
  scopes: [...appScopes],
  responseTypes: ['code'],
  clientAuthMethods: ['none'],
  pkce: { required: () => true },
  allowOmittingSingleRegisteredRedirectUri: false,
  clientBasedCORS: () => false,
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'EdDSA',
  },
  enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
  // A known member of RFC 7591, without which the library does not call the check.
  extraClientMetadata: {
    properties: ['software_id'],
    validator: (_ctx, _key, _value, metadata) => checkClient(metadata),
  },
  fetchResponseBodyLimits: { 'client_id metadata document': maxClientBytes },
  rotateRefreshToken: true,
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  expiresWithSession: () => false,
  revokeGrantPolicy: () => true,
  formats: { bitsOfOpaqueRandomness: 256 },
  interactions: { policy: alwaysAsk(), url: (_ctx, request) => requestPath(request.uid) },
  // Pages of the API show errors.
  renderError(ctx, out) {
    ctx.state['page'] = true
    ctx.body = out
  },
} satisfies Configuration

/** A person agrees to every sign-in, because public clients cannot prove who they are (RFC 8252, 8.6). */
function alwaysAsk() {
  const { Check, Prompt } = interactionPolicy
  const policy = interactionPolicy.base()
  policy.clear()
  policy.add(new Prompt({ name: 'login', requestable: true }))
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('always', 'a person must agree', 'consent_required', (ctx) => ctx.oidc.result?.consent === undefined),
    ),
  )
  return policy
}

/** Bind a request to the browser that made it. Over https, the prefix keeps other hosts from setting them. */
function cookiesOf({ auth, http }: Pick<Config, 'auth' | 'http'>): Configuration['cookies'] {
  const prefix = http.baseUrl.startsWith('https:') ? '__Secure-' : ''
  const names = { interaction: 'request', resume: 'resume', session: 'session' }
  return {
    names: Object.fromEntries(Object.entries(names).map(([kind, name]) => [kind, `${prefix}switchyard_app_${name}`])),
    keys: secretsOfKeys(auth.privateKeys).map((secret) => derivedToken('cookies', secret, 'apps')),
    short: { httpOnly: true, sameSite: 'lax', signed: true },
    long: { httpOnly: true, sameSite: 'lax', signed: true },
  }
}

/** The library wants a key to sign ID tokens, which it never issues here. */
function signingKey(pems: readonly string[]) {
  const { current } = readSigningKeys(pems)
  const { crv, x, d } = createPrivateKey(pems[0]!).export({ format: 'jwk' }) as Record<string, string>
  return { kty: 'OKP' as const, crv, x, d, kid: current.kid, alg: 'EdDSA', use: 'sig' } as never
}
