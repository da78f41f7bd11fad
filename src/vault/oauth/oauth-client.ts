import * as oauth from 'oauth4webapi'
import type { Config } from '../../config/config.ts'
import { oauthFetch } from '../../safe-fetch/oauth-fetch.ts'
import type { SafeFetch } from '../../safe-fetch/safe-fetch.ts'
import type { Access, Dialect } from '../../sites/dialects/dialect.ts'
import type { ClientOfSite, SiteClient } from '../credential.ts'
import { checkedAnswer } from './authorization-answer.ts'
import { createRedirectUris, keyOfIssuer } from './redirect-uris.ts'
import { readableTokenAnswer } from './token-answer.ts'
import { requestToken, type TokenOutcome } from './token-outcome.ts'

/**
 * The platform as an OAuth client of sites (RFC 6749, 7636, 8707, 9207, 9700): it always uses PKCE with S256, and a
 * secret only where an authorization server gave it one. Every request goes through the safe fetch. `exchange` and
 * `refresh` never throw because of a site's answer.
 */
export function createOAuthClient(context: { fetch: SafeFetch; config: Config; dialect: Pick<Dialect, 'access'> }) {
  const { fetch, config, dialect } = context
  const { redirectUri } = createRedirectUris(config.http.baseUrl)
  const options = { [oauth.customFetch]: oauthFetch(fetch, config.sites.tokenTimeoutSeconds * 1000) }
  const accessTo = (site: Pick<ClientOfSite, 'dialect' | 'auth'>, issuer?: string | null): Access =>
    dialect.access(site.dialect, site.auth, issuer)

  function issuerKeyOf(site: Pick<ClientOfSite, 'dialect' | 'auth'>): string | undefined {
    const { foreign } = accessTo(site)
    return foreign && keyOfIssuer(foreign.identity)
  }
  const redirectUriOf = (site: Pick<ClientOfSite, 'dialect' | 'auth'>): string => redirectUri(issuerKeyOf(site))

  /** A request for tokens. `secrets`: those of the request, besides the client's. */
  function request(
    site: ClientOfSite,
    secrets: readonly string[],
    send: (given: Prepared) => Promise<Response>,
    read: typeof oauth.processRefreshTokenResponse,
  ): Promise<TokenOutcome> {
    const { server, foreign } = accessTo(site)
    const isForeign = foreign !== undefined
    const [client, by] = [toLibrary(site.client), authenticationOf(site.client)]
    const more = {
      ...options,
      ...(foreign?.resource !== undefined && { additionalParameters: { resource: foreign.resource } }),
    }
    const sent = site.client.secret ? [...secrets, site.client.secret.value] : secrets
    const work = async () => {
      const answer = await send({ server, client, by, more })
      return read(server, client, await readableTokenAnswer(answer, { isForeign }))
    }
    return requestToken(sent, work, isForeign)
  }

  return {
    accessTo,

    /** Undefined for a site that is not foreign. */
    issuerKeyOf,

    redirectUriOf,

    newVerifier: (): string => oauth.generateRandomCodeVerifier(),

    /** The address at which the user authorizes (docs/specification.md, "Authorization endpoint"). */
    async authorizeUrl(site: ClientOfSite, ask: { scopes: readonly string[]; state: string; verifier: string }) {
      const url = new URL(site.auth.authorization_url)
      const { foreign } = accessTo(site)
      const query = {
        response_type: 'code',
        client_id: site.client.id,
        redirect_uri: redirectUriOf(site),
        scope: ask.scopes.join(' '),
        state: ask.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(ask.verifier),
        code_challenge_method: 'S256',
        resource: foreign?.resource ?? '',
        // Without consent, this scope is ignored (OpenID Connect Core, 11).
        prompt: foreign && ask.scopes.includes('offline_access') ? 'consent' : '',
      }
      for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, value)
      return url.href
    },

    /** Validates the authorization response. VALIDATION_ERROR, and the library's AuthorizationResponseError. */
    checkCallback: (site: ClientOfSite, parameters: URLSearchParams, state: string): URLSearchParams => {
      const { foreign, ...access } = accessTo(site, parameters.get('iss'))
      const expected = { ...access, clientId: site.client.id, state, who: 'The site' }
      return checkedAnswer(parameters, { ...expected, isIssuerExact: foreign !== undefined })
    },

    /** Exchanges a code for a grant. Takes the parameters that `checkCallback` returned. */
    exchange: (site: ClientOfSite, parameters: URLSearchParams, verifier: string): Promise<TokenOutcome> =>
      request(
        site,
        [...parameters.getAll('code'), verifier],
        ({ server, client, by, more }) =>
          oauth.authorizationCodeGrantRequest(server, client, by, parameters, redirectUriOf(site), verifier, more),
        oauth.processAuthorizationCodeResponse,
      ),

    refresh: (site: ClientOfSite, refreshToken: string): Promise<TokenOutcome> =>
      request(
        site,
        [refreshToken],
        ({ server, client, by, more }) => oauth.refreshTokenGrantRequest(server, client, by, refreshToken, more),
        oauth.processRefreshTokenResponse,
      ),

    /** Revokes a grant at the site (RFC 7009), if the site has a revocation endpoint. */
    async revoke(site: ClientOfSite, token: string): Promise<void> {
      const { server } = accessTo(site)
      if (!server.revocation_endpoint) return
      const [client, by] = [toLibrary(site.client), authenticationOf(site.client)]
      const answer = await oauth.revocationRequest(server, client, by, token, options)
      // RFC 7009 defines 200 alone. Other 2xx statuses count as revoked too.
      if (!answer.ok) await oauth.processRevocationResponse(answer)
    },
  }
}

export type OAuthClient = ReturnType<typeof createOAuthClient>

interface Prepared {
  server: oauth.AuthorizationServer
  client: oauth.Client
  by: oauth.ClientAuth
  more: oauth.TokenEndpointRequestOptions
}

const toLibrary = ({ id }: SiteClient): oauth.Client => ({ client_id: id })

function authenticationOf({ secret }: SiteClient): oauth.ClientAuth {
  if (!secret) return oauth.None()
  return secret.method === 'client_secret_post' ? oauth.ClientSecretPost(secret.value) : secretInHeader(secret.value)
}

/**
 * Many servers compare these credentials without decoding them, so signs that a form has as they are stay as they are
 * (RFC 6749, 2.3.1 and appendix B). The library encodes every sign of a usual id, such as a hyphen.
 */
const secretInHeader =
  (secret: string): oauth.ClientAuth =>
  (_server, { client_id: id }, _body, headers) =>
    headers.set('authorization', `Basic ${btoa([id, secret].map(formEncoded).join(':'))}`)

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
