import * as oauth from 'oauth4webapi'
import type { Config } from '../config.ts'
import { SafeFetchError, type SafeFetch, type SafeFetchReason } from '../safe-fetch.ts'
import type { Manifest } from '../sites/manifest.ts'
import type { Scope } from '../sites/tool.ts'
import { toResponse, withoutOddities } from './token-answer.ts'

/** The part of a manifest that says where a site authorises. */
export type OAuthSite = Extract<Manifest['auth'], { type: 'oauth2' }>

/** A grant as the site's token endpoint gave it (specification, "OAuth token response"). */
export interface Grant {
  accessToken: string
  refreshToken?: string | undefined
  /** Undefined where the site says nothing that could be believed. */
  expiresInSeconds?: number | undefined
  /** Undefined where the site leaves it out: then what was asked for is granted (RFC 6749, 5.1). */
  scopes?: Scope[] | undefined
}

/**
 * What came of a request to a token endpoint. Of a refresh it matters whether the site may have spent the token:
 * `refused` and `failed` say it did not, `not_sent` that it never saw it, `ambiguous` that nobody knows.
 */
export type TokenOutcome =
  | { kind: 'granted'; grant: Grant }
  | { kind: 'refused'; error: string; message: string }
  | {
      kind: 'failed' | 'not_sent' | 'ambiguous'
      message: string
      retryAfter?: number | undefined
      /** No answer came, as opposed to one that is of no use. */
      unreachable?: boolean
    }

/** A token answer is two tokens and a few words. */
const maxAnswerBytes = 64 * 1024
/** Years are no lifetime that anybody means; the clock of a database column ends somewhere, too. */
const longestLifetime = 365 * 24 * 60 * 60

/**
 * The platform as an OAuth client of sites (RFC 6749, 7636, 9207, 9700): a public client, PKCE with S256 always. Every
 * request goes through the safe fetch. Nothing throws for what a site answers.
 */
export function createOAuthClient({ fetch, config }: { fetch: SafeFetch; config: Config }) {
  const redirectUri = `${config.http.baseUrl}/vault/oauth/callback`
  const options = { [oauth.customFetch]: throughSafeFetch(fetch, config.sites.tokenTimeoutSeconds * 1000) }
  const client = (clientId: string): oauth.Client => ({ client_id: clientId })

  return {
    redirectUri,

    /** The platform's client id at the site of this origin. */
    clientIdAt: (origin: string): string =>
      config.oauth.clientIds.find((pair) => pair.origin === origin)?.clientId ?? config.oauth.clientId,

    newVerifier: (): string => oauth.generateRandomCodeVerifier(),

    /** Where the browser is sent to authorise (specification, "Authorization endpoint"). */
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

    /**
     * Checks what came back with the browser: the state, the issuer where it is sent or promised (RFC 9207), every
     * parameter at most once. Throws an error of the library.
     */
    checkCallback: (site: OAuthSite, clientId: string, parameters: URLSearchParams, state: string): URLSearchParams =>
      oauth.validateAuthResponse(serverOf(site, parameters), client(clientId), parameters, state),

    /** Exchanges a code for a grant. The parameters are those that `checkCallback` returned. */
    exchange: (site: OAuthSite, clientId: string, parameters: URLSearchParams, verifier: string) =>
      attempt(async () => {
        const server = serverOf(site)
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
        return oauth.processAuthorizationCodeResponse(server, from, await withoutOddities(answer))
      }),

    /** Spends a refresh token for the next grant. */
    refresh: (site: OAuthSite, clientId: string, refreshToken: string) =>
      attempt(async () => {
        const server = serverOf(site)
        const from = client(clientId)
        const answer = await oauth.refreshTokenGrantRequest(server, from, oauth.None(), refreshToken, options)
        return oauth.processRefreshTokenResponse(server, from, await withoutOddities(answer))
      }),

    /** Tells the site that a grant is not needed any more (RFC 7009), where it has an address for that. */
    async revoke(site: OAuthSite, clientId: string, token: string): Promise<void> {
      if (!site.revocation_url) return
      const answer = await oauth.revocationRequest(serverOf(site), client(clientId), oauth.None(), token, options)
      await oauth.processRevocationResponse(answer)
    },
  }
}

export type OAuthClient = ReturnType<typeof createOAuthClient>

/**
 * The site as an authorization server. One that names its issuer must send it along (RFC 9207, 2.4); of one that does
 * not, an issuer that comes along all the same must be of the authorization address's origin, or it is a mix-up.
 */
function serverOf(site: OAuthSite, parameters?: URLSearchParams): oauth.AuthorizationServer {
  const { origin } = new URL(site.authorization_url)
  const sent = parameters?.get('iss')
  const plausible = sent && URL.parse(sent)?.origin === origin ? sent : origin
  return {
    issuer: site.issuer ?? plausible,
    authorization_endpoint: site.authorization_url,
    token_endpoint: site.token_url,
    ...(site.revocation_url && { revocation_endpoint: site.revocation_url }),
    authorization_response_iss_parameter_supported: site.issuer !== undefined,
  }
}

function throughSafeFetch(fetch: SafeFetch, timeoutMs: number) {
  return async (url: string, { method, headers, body }: oauth.CustomFetchOptions<string, unknown>): Promise<Response> =>
    toResponse(
      await fetch({
        url,
        method: method as 'POST',
        headers,
        ...(body instanceof URLSearchParams && { body: body.toString() }),
        timeoutMs,
        maxBytes: maxAnswerBytes,
      }),
    )
}

async function attempt(work: () => Promise<oauth.TokenEndpointResponse>): Promise<TokenOutcome> {
  try {
    return toOutcome(await work())
  } catch (error) {
    return failure(error)
  }
}

/** A token goes into a header, so it can be of visible ASCII characters only (RFC 6750, 2.1 and RFC 6749, A.12). */
const sendable = /^[\x21-\x7e]{1,8192}$/
const knownScopes = new Set(['read', 'write', 'delete', 'admin'])

function toOutcome(answer: oauth.TokenEndpointResponse): TokenOutcome {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = answer
  if (answer.token_type !== 'bearer')
    return { kind: 'ambiguous', message: 'The site gave a token that is no Bearer token.' }
  if (!sendable.test(accessToken) || (refreshToken !== undefined && !sendable.test(refreshToken))) {
    return { kind: 'ambiguous', message: 'The site gave a token that cannot be sent in a header.' }
  }
  const scopes = scope?.split(' ').filter((word): word is Scope => knownScopes.has(word))
  const expiresInSeconds = expiresIn === undefined ? undefined : Math.min(Math.ceil(expiresIn), longestLifetime)
  return { kind: 'granted', grant: { accessToken, refreshToken, expiresInSeconds, scopes } }
}

function failure(error: unknown): TokenOutcome {
  if (error instanceof SafeFetchError) return unfetched(error)
  if (error instanceof oauth.ResponseBodyError) return refusal(error)
  if (error instanceof oauth.WWWAuthenticateChallengeError) return fromStatus(error.response)
  const { cause } = error as { cause?: unknown }
  if (cause instanceof Response) return fromStatus(cause)
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return { kind: 'ambiguous', message: 'The site answered with something that is no token answer.' }
  }
  throw error
}

/** What is too large, or sends elsewhere, is an answer, although none that was read. */
const unfetched = ({ maybeSent, reason }: SafeFetchError): TokenOutcome => ({
  kind: maybeSent ? 'ambiguous' : 'not_sent',
  message: `The site's token address ${noAnswer[reason] ?? noAnswer.connect}.`,
  unreachable: reason !== 'too-large' && reason !== 'redirect',
})

/**
 * A refused address, a name that does not resolve and a closed port read the same, as for tool calls: the difference
 * would let a manifest map the network that this server stands in.
 */
const noAnswer: Partial<Record<SafeFetchReason, string>> & { connect: string } = {
  connect: 'could not be reached',
  tls: 'could not be reached securely',
  timeout: 'did not answer in time',
  reset: 'broke off its answer',
  'too-large': 'answered more than is allowed',
  redirect: 'answered with a redirect, and redirects are not followed',
}

/** Busy is not broken: with 429 and 503 a server says that it has not begun (RFC 9110, 15.6.4). */
function fromStatus({ status, headers }: Response): TokenOutcome {
  const message = `The site's token address answered with the status ${status}.`
  if (status === 429 || status === 503)
    return { kind: 'failed', message, retryAfter: seconds(headers.get('retry-after')) }
  return { kind: status >= 500 || status < 400 ? 'ambiguous' : 'failed', message }
}

/** An error of RFC 6749, 5.2. With a status of 500 and above it says nothing about what happened before. */
function refusal({ error, error_description: description, response }: oauth.ResponseBodyError): TokenOutcome {
  if (response.status >= 500 || response.status === 429) return fromStatus(response)
  const words = description ? ` (${plain(description)})` : ''
  return { kind: 'refused', error, message: `The site answered ${plain(error)}${words}.` }
}

const plain = (words: string): string => words.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200)

const seconds = (header: string | null): number | undefined =>
  header && /^\d{1,6}$/.test(header) ? Number(header) : undefined
