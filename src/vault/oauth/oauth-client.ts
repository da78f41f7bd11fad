import * as oauth from 'oauth4webapi'
import type { Config } from '../../config/config.ts'
import { oauthFetch } from '../../safe-fetch/oauth-fetch.ts'
import type { SafeFetch } from '../../safe-fetch/safe-fetch.ts'
import type { Dialect } from '../../sites/dialects/dialect.ts'
import type { OAuthSite } from '../../sites/manifest.ts'
import type { Scope } from '../../sites/tool.ts'
import { checkedAnswer } from './authorization-answer.ts'
import { readableTokenAnswer } from './token-answer.ts'
import { requestToken } from './token-outcome.ts'

/**
 * The platform as an OAuth client of sites (RFC 6749, 7636, 9207, 9700): a public client that always uses PKCE with
 * S256. Every request goes through the safe fetch. `exchange` and `refresh` never throw because of a site's answer.
 */
export function createOAuthClient(context: { fetch: SafeFetch; config: Config; dialect: Pick<Dialect, 'access'> }) {
  const { fetch, config, dialect } = context
  const redirectUri = `${config.http.baseUrl}/vault/oauth/callback`
  const options = { [oauth.customFetch]: oauthFetch(fetch, config.sites.tokenTimeoutSeconds * 1000) }
  const client = (clientId: string): oauth.Client => ({ client_id: clientId })

  return {
    redirectUri,

    clientIdAt: (origin: string): string =>
      config.oauth.clientIds.find((pair) => pair.origin === origin)?.clientId ?? config.oauth.clientId,

    newVerifier: (): string => oauth.generateRandomCodeVerifier(),

    /** The address at which the user authorizes (docs/specification.md, "Authorization endpoint"). */
    async authorizeUrl(site: OAuthSite, ask: { clientId: string; scopes: Scope[]; state: string; verifier: string }) {
      const url = new URL(site.authorization_url)
      const query = {
        response_type: 'code',
        client_id: ask.clientId,
        redirect_uri: redirectUri,
        scope: ask.scopes.join(' '),
        state: ask.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(ask.verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, value)
      return url.href
    },

    /** Validates the authorization response. VALIDATION_ERROR, and the library's AuthorizationResponseError. */
    checkCallback: (site: OAuthSite, clientId: string, parameters: URLSearchParams, state: string): URLSearchParams => {
      const access = dialect.access(site, parameters.get('iss'))
      return checkedAnswer(parameters, { ...access, clientId, state, who: 'The site' })
    },

    /** Exchanges a code for a grant. Takes the parameters that `checkCallback` returned. */
    exchange: (site: OAuthSite, clientId: string, parameters: URLSearchParams, verifier: string) =>
      requestToken([...parameters.getAll('code'), verifier], async () => {
        const { server } = dialect.access(site)
        const from = client(clientId)
        const by = oauth.None()
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          from,
          by,
          parameters,
          redirectUri,
          verifier,
          options,
        )
        return oauth.processAuthorizationCodeResponse(server, from, await readableTokenAnswer(answer))
      }),

    refresh: (site: OAuthSite, clientId: string, refreshToken: string) =>
      requestToken([refreshToken], async () => {
        const { server } = dialect.access(site)
        const from = client(clientId)
        const answer = await oauth.refreshTokenGrantRequest(server, from, oauth.None(), refreshToken, options)
        return oauth.processRefreshTokenResponse(server, from, await readableTokenAnswer(answer))
      }),

    /** Revokes a grant at the site (RFC 7009), if the site has a revocation endpoint. */
    async revoke(site: OAuthSite, clientId: string, token: string): Promise<void> {
      const { server } = dialect.access(site)
      if (!server.revocation_endpoint) return
      const answer = await oauth.revocationRequest(server, client(clientId), oauth.None(), token, options)
      // RFC 7009 defines 200 alone. Other 2xx statuses count as revoked too.
      if (!answer.ok) await oauth.processRevocationResponse(answer)
    },
  }
}

export type OAuthClient = ReturnType<typeof createOAuthClient>
