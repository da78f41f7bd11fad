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

/** Who somebody is at a provider. */
export interface Claims {
  issuer: string
  subject: string
  /** Asked for only when it is needed. */
  verifiedAddress: () => Promise<VerifiedAddress>
}

/** The address that a provider has verified, or a sentence about why there is none. */
export type VerifiedAddress = { email: string } | { problem: string }

/** What one attempt is held together by. */
interface Attempt {
  flowId: string
  state: string
  /** The PKCE verifier. The nonce is derived from it. */
  verifier: string
}

/** Providers tell subjects apart by 255 ASCII characters (OpenID Connect Core, 2). */
const subjectForm = /^[\x20-\x7e]{1,255}$/

/**
 * The platform as an OpenID Connect client: the authorization code flow with PKCE (S256), state and nonce. ID tokens are
 * checked for issuer, audience, authorized party, times, nonce and signature (OpenID Connect Core, 3.1.3.7).
 */
export function createOidcClient(context: {
  config: Pick<Config, 'http'>
  logger: Logger
  discovery: Pick<Discovery, 'serverOf' | 'doubt'>
  keys: Pick<Keys, 'verify'>
  fetchFor: FetchFor
}) {
  const { config, logger, discovery, keys, fetchFor } = context
  const { serverOf } = discovery
  const redirectUri = ({ id }: Provider) => redirectUriOf(config.http.baseUrl, id)

  async function tokensOf(provider: Provider, server: oauth.AuthorizationServer, sent: URLSearchParams, at: Attempt) {
    const client = { client_id: provider.clientId }
    const options = { [oauth.customFetch]: fetchFor(provider) }
    const issuerInWords = `Its discovery document declares the issuer ${quotedWords(server.issuer)}. The operator of the provider must make the two match.`
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
   * The address in the ID token, or else in what the provider says of its user (OpenID Connect Core, 5.3). The address and
   * that it is verified come from one of the two.
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
    // What is signed would have to be verified; few send it, and none unasked.
    if (answer.headers.get('content-type')?.startsWith('application/jwt')) return { problem: signedUserinfo }
    const said = verifiedIn(await oauth.processUserInfoResponse(server, client, claims.sub, answer))
    return 'email' in said && isAnother(claims['email'], said.email) ? { problem: twoAddresses } : said
  }

  return {
    newVerifier: (): string => oauth.generateRandomCodeVerifier(),

    /** Asks whether the provider can be used. SITE_UNAVAILABLE, PERMISSION_DENIED. */
    check: async (provider: Provider): Promise<void> => void (await coded(logger, provider, () => serverOf(provider))),

    /** Where the browser is sent to sign in. SITE_UNAVAILABLE, PERMISSION_DENIED. */
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

    /** Exchanges a code for who its user is. VALIDATION_ERROR, PERMISSION_DENIED, SITE_UNAVAILABLE. */
    exchange: (provider: Provider, sent: URLSearchParams, attempt: Attempt): Promise<Claims> =>
      coded(logger, provider, async () => {
        const server = await serverOf(provider)
        const tokens = await tokensOf(provider, server, sent, attempt).catch((error: unknown) => {
          discovery.doubt(provider)
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

/** Never stored: whoever reads the database cannot make up a token for an attempt. */
const nonceOf = ({ verifier, flowId }: Attempt): string => derivedToken('nonce', verifier, flowId)

const who = 'The sign-in provider'
const strangeSubject = "The sign-in provider's user id is not supported."

/** As the provider wants it; the header unless it says otherwise (OpenID Connect Discovery, 3). */
function authenticationAt(server: oauth.AuthorizationServer, clientSecret: string): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const inHeader = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
  return inHeader ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
}

/**
 * An address counts if the provider says in the same place that it has verified it: `true`, or the text `"true"`, which
 * Amazon Cognito and Apple send and which can mean nothing else.
 */
function verifiedIn({ email, email_verified: verified }: Record<string, unknown>): VerifiedAddress {
  if (typeof email !== 'string' || email.trim() === '') return { problem: noAddress }
  if (verified === true || verified === 'true') return { email }
  if (verified === undefined || verified === null) return { problem: notStated }
  const stated = typeof verified === 'boolean' ? 'false' : `${kindOf(verified)} instead of true`
  return { problem: `The sign-in provider has not verified your email address. Its \`email_verified\` is ${stated}.` }
}

/** Two addresses are no proof of either. */
const isAnother = (inToken: unknown, email: string): boolean =>
  typeof inToken === 'string' && inToken.trim() !== '' && inToken.toLowerCase() !== email.toLowerCase()

const noAddress = 'The sign-in provider did not send your email address.'
const notStated = 'The sign-in provider did not confirm your email address because it sent no `email_verified`.'
const signedUserinfo =
  'The sign-in provider sends your email address in a signed userinfo response, which is not supported.'
const twoAddresses =
  'The sign-in provider sent two different email addresses, one in the ID token and one in the userinfo response.'
