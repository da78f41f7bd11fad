import * as oauth from 'oauth4webapi'
import type { Config } from '../config/config.ts'
import { CodedError } from '../errors.ts'
import { quotedWords } from '../names.ts'
import { kindOf } from '../vault/oauth/answer-members.ts'
import { checkedAnswer } from '../vault/oauth/authorization-answer.ts'
import { readableTokenAnswer } from '../vault/oauth/token-answer.ts'
import type { Logger } from '../logger.ts'
import { derivedToken } from '../secrets/opaque-tokens.ts'
import type { Discovery, FetchFor } from './discovery.ts'
import { coded } from './failure.ts'
import type { Keys } from './keys.ts'
import { redirectUriOf, type Provider } from './provider.ts'

/** A user's claims from a provider. */
export interface Claims {
  issuer: string
  subject: string
  /** Requested only if needed. */
  verifiedAddress: () => Promise<VerifiedAddress>
}

/** The address that a provider verified, or a sentence that says why there is none. */
export type VerifiedAddress = { email: string } | { problem: string }

/** The secrets that bind one attempt. */
interface Attempt {
  flowId: string
  state: string
  /** The PKCE verifier, from which the nonce is derived. */
  verifier: string
}

/** A subject has at most 255 ASCII characters (OpenID Connect Core, 2). */
const subjectForm = /^[\x20-\x7e]{1,255}$/

/**
 * The platform as an OpenID Connect client: authorization code flow with PKCE (S256), state and nonce. ID tokens are
 * checked for issuer, audience, authorized party, times, nonce and signature (OpenID Connect Core, 3.1.3.7).
 */
export function createOidcClient(context: {
  config: Pick<Config, 'http'>
  logger: Logger
  discovery: Pick<Discovery, 'serverOf' | 'expireSoon'>
  keys: Pick<Keys, 'verify'>
  fetchFor: FetchFor
}) {
  const { config, logger, discovery, keys, fetchFor } = context
  const { serverOf } = discovery
  const redirectUri = ({ id }: Provider) => redirectUriOf(config.http.baseUrl, id)

  async function tokensOf(provider: Provider, server: oauth.AuthorizationServer, sent: URLSearchParams, at: Attempt) {
    const client = { client_id: provider.clientId }
    const options = { [oauth.customFetch]: fetchFor(provider) }
    const issuerInWords = `Its discovery document declares the issuer ${quotedWords(server.issuer)}. The provider's operator must make the two match.`
    const expected = { server, clientId: provider.clientId, state: at.state, who, issuerInWords }
    const parameters = checkedAnswer(sent, expected)
    const by = authenticationAt(server, provider.clientSecret)
    const uri = redirectUri(provider)
    const given = await oauth.authorizationCodeGrantRequest(server, client, by, parameters, uri, at.verifier, options)
    const answer = await readableTokenAnswer(given, { wantsIdToken: true })
    const wanted = { expectedNonce: nonceOf(at), requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, wanted)
    await keys.verify(provider, server, answer)
    return tokens
  }

  /**
   * The address in the ID token, or else from the userinfo endpoint (OpenID Connect Core, 5.3). The address and
   * `email_verified` come from the same source.
   */
  async function addressOf(
    provider: Provider,
    server: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
    claims: oauth.IDToken,
  ): Promise<VerifiedAddress> {
    const inToken = verifiedIn(claims)
    if ('email' in inToken || !server.userinfo_endpoint) return inToken
    const client = { client_id: provider.clientId }
    const options = { [oauth.customFetch]: fetchFor(provider) }
    const answer = await oauth.userInfoRequest(server, client, tokens.access_token, options)
    // A signed response would need verification. Few providers send one, and none without a request for it.
    if (answer.headers.get('content-type')?.startsWith('application/jwt')) return { problem: signedUserinfo }
    const said = verifiedIn(await oauth.processUserInfoResponse(server, client, claims.sub, answer))
    return 'email' in said && isAnother(claims['email'], said.email) ? { problem: twoAddresses } : said
  }

  return {
    newVerifier: (): string => oauth.generateRandomCodeVerifier(),

    /** Checks that the provider is usable. SITE_UNAVAILABLE, PERMISSION_DENIED. */
    check: async (provider: Provider): Promise<void> => void (await coded(logger, provider, () => serverOf(provider))),

    /** The URL where the browser signs in. SITE_UNAVAILABLE, PERMISSION_DENIED. */
    authorizeUrl: (provider: Provider, attempt: Attempt): Promise<string> =>
      coded(logger, provider, async () => {
        const server = await serverOf(provider)
        const url = new URL(server.authorization_endpoint ?? '')
        const query = {
          response_type: 'code',
          ...(server.response_modes_supported?.includes('query') && { response_mode: 'query' }),
          client_id: provider.clientId,
          redirect_uri: redirectUri(provider),
          scope: 'openid email',
          state: attempt.state,
          nonce: nonceOf(attempt),
          code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: 'S256',
        }
        for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
        return url.href
      }),

    /** Exchanges a code for the user's claims. VALIDATION_ERROR, PERMISSION_DENIED, SITE_UNAVAILABLE. */
    exchange: (provider: Provider, sent: URLSearchParams, attempt: Attempt): Promise<Claims> =>
      coded(logger, provider, async () => {
        const server = await serverOf(provider)
        const tokens = await tokensOf(provider, server, sent, attempt).catch((error: unknown) => {
          discovery.expireSoon(provider)
          throw error
        })
        const claims = oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken
        if (!subjectForm.test(claims.sub)) throw new CodedError('PERMISSION_DENIED', { message: strangeSubject })
        const verifiedAddress = () => coded(logger, provider, () => addressOf(provider, server, tokens, claims))
        return { issuer: claims.iss, subject: claims.sub, verifiedAddress }
      }),
  }
}

export type OidcClient = ReturnType<typeof createOidcClient>

/** Derived and never stored, so a reader of the database cannot forge a token for an attempt. */
const nonceOf = ({ verifier, flowId }: Attempt): string => derivedToken('nonce', verifier, flowId)

const who = 'The sign-in provider'
const strangeSubject = "The sign-in provider's user id is not supported."

/** The provider's method; the header by default (OpenID Connect Discovery, 3). */
function authenticationAt(server: oauth.AuthorizationServer, clientSecret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
  return inHeader ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
}

/**
 * An address counts if the same source says that it is verified: `true`, or the string `"true"`, which Amazon Cognito
 * and Apple send.
 */
function verifiedIn({ email, email_verified: verified }: Record<string, unknown>): VerifiedAddress {
  if (typeof email !== 'string' || email.trim() === '') return { problem: noAddress }
  if (verified === true || verified === 'true') return { email }
  if (verified === undefined || verified === null) return { problem: notStated }
  const stated = typeof verified === 'boolean' ? 'false' : `${kindOf(verified)} instead of true`
  return { problem: `The sign-in provider has not verified your email address. Its \`email_verified\` is ${stated}.` }
}

/** Two different addresses prove neither. */
const isAnother = (inToken: unknown, email: string): boolean =>
  typeof inToken === 'string' && inToken.trim() !== '' && inToken.toLowerCase() !== email.toLowerCase()

const noAddress = 'The sign-in provider did not send your email address.'
const notStated = 'The sign-in provider did not confirm your email address because it sent no `email_verified`.'
const signedUserinfo =
  'The sign-in provider sends your email address in a signed userinfo response, which is not supported.'
const twoAddresses =
  'The sign-in provider sent two different email addresses, one in the ID token and one in the userinfo response.'
