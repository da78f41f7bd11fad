import * as oauth from 'oauth4webapi'
import { retryAfter } from '../../safe-fetch/retry-after.ts'
import { SafeFetchError } from '../../safe-fetch/safe-fetch.ts'
import { noAnswerInWords } from '../../safe-fetch/unreached-site.ts'
import type { Hiding } from '../../hiding/hiding.ts'
import { hidingOf } from '../../hiding/hiding-cache.ts'
import { quotedWords } from '../../names.ts'
import { scopeWords } from '../../sites/scope-words.ts'
import type { Scope } from '../../sites/tool.ts'
import { UnusableTokenAnswer } from './token-answer.ts'

/** A grant from the site's token endpoint (docs/specification.md, "OAuth token response"). */
export interface Grant {
  accessToken: string
  refreshToken?: string | undefined
  expiresInSeconds?: number | undefined
  /** Undefined if the site omits it: then the requested scopes are granted (RFC 6749, 5.1). */
  scopes?: GrantedScopes | undefined
}

/** The scopes that a site grants: the known ones, and the site's own text, quoted. */
export interface GrantedScopes {
  known: Scope[]
  words: string
  /** All of them that contain no secret, if they are a foreign authorization server's. */
  verbatim?: string[]
}

/**
 * The outcome of a request to a token endpoint. For a refresh, it says whether the site may have used up the token:
 * `refused` and `failed` mean no, `not_sent` means the site never saw it, `ambiguous` means unknown.
 */
export type TokenOutcome =
  | { kind: 'granted'; grant: Grant }
  /** `error` of RFC 6749, 5.2; undefined if the site refused without a readable one. */
  | { kind: 'refused'; error?: string; message: string }
  | {
      kind: 'failed' | 'not_sent' | 'ambiguous'
      message: string
      retryAfter?: number | undefined
      unreachable?: boolean
      /** A successful answer that cannot be used, with the next refresh token if it was readable. */
      unusable?: { refreshToken: string | undefined }
    }

/** Longest lifetime, in seconds: a year. Longer values are mistakes and could overflow a timestamp. */
const longestLifetime = 365 * 24 * 60 * 60

/**
 * Makes a request to a token endpoint and turns every answer and failure into an outcome. No message contains the sent
 * secrets, even if the site quotes them.
 */
export async function requestToken(
  secrets: readonly string[],
  work: () => Promise<oauth.TokenEndpointResponse>,
  isForeign = false,
): Promise<TokenOutcome> {
  try {
    return await toOutcome(await work(), secrets, isForeign)
  } catch (error) {
    return failure(error, await hidingOf(secrets))
  }
}

const knownScopes = new Set(['read', 'write', 'delete', 'admin'])

async function toOutcome(
  answer: oauth.TokenEndpointResponse,
  secrets: readonly string[],
  isForeign: boolean,
): Promise<TokenOutcome> {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = answer
  const hiding = await hidingOf([...secrets, accessToken, ...(refreshToken === undefined ? [] : [refreshToken])])
  const verbatim = isForeign && { verbatim: scopeWords(scope ?? '').filter((word) => hiding.text(word) === word) }
  const scopes =
    scope === undefined ? undefined : { known: scopesIn(scope), words: quotedWords(hiding.text(scope)), ...verbatim }
  const expiresInSeconds = expiresIn === undefined ? undefined : Math.min(Math.ceil(expiresIn), longestLifetime)
  return { kind: 'granted', grant: { accessToken, refreshToken, expiresInSeconds, scopes } }
}

/** Case is ignored: no two scopes differ only by case. */
const scopesIn = (scope: string): Scope[] =>
  scope
    .toLowerCase()
    .split(' ')
    .filter((word): word is Scope => knownScopes.has(word))

function failure(error: unknown, hiding: Hiding): TokenOutcome {
  if (error instanceof SafeFetchError) return fetchFailure(error)
  if (error instanceof UnusableTokenAnswer) {
    const { message, refreshToken } = error
    const sentence = `The site's token response is unusable because ${hiding.text(message)}.`
    return { kind: 'ambiguous', message: sentence, unusable: { refreshToken } }
  }
  if (error instanceof oauth.ResponseBodyError) return refusal(error, hiding)
  const { cause } = error as { cause?: unknown }
  if (cause instanceof Response) return fromStatus(cause)
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return { kind: 'ambiguous', message: "The site's response was not a token response." }
  }
  throw error
}

/** An oversized response and a redirect are answers, although their bodies were not read. */
const fetchFailure = ({ maybeSent, reason }: SafeFetchError): TokenOutcome => ({
  kind: maybeSent ? 'ambiguous' : 'not_sent',
  message: `The site's token endpoint ${noAnswerInWords(reason)}.`,
  unreachable: reason !== 'too-large' && reason !== 'redirect',
})

/**
 * 429 and 503 mean that the server was busy and did not start (RFC 9110, 15.6.4). Any other 4xx is a refusal, except
 * 408: gateways also send it if the server behind them did not answer.
 */
function fromStatus({ status, headers }: Response): TokenOutcome {
  const message = `The site's token endpoint responded with status ${status}.`
  if (status === 429 || status === 503) return { kind: 'failed', message, ...retryAfter(headers) }
  return { kind: saysNo(status) ? 'refused' : 'ambiguous', message }
}

const saysNo = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

/** An error of RFC 6749, 5.2. Unless the status is a refusal too, the site's action is unknown. */
function refusal(answer: oauth.ResponseBodyError, hiding: Hiding): TokenOutcome {
  const { response } = answer
  const error = answer.error.toLowerCase()
  if (!saysNo(response.status)) return fromStatus(response)
  const description: unknown = answer.error_description
  const words = [answer.error, description].flatMap((text) => (typeof text === 'string' ? hiding.text(text) : []))
  const message = `The site responded with ${quotedWords(...words)}.`
  return { kind: 'refused', error, message: clientErrors.has(error) ? `${message} ${clientAdvice}` : message }
}

/** RFC 6749, 5.2: the site refuses the platform, not the token. A user cannot change that. */
const clientErrors = new Set(['invalid_client', 'unauthorized_client'])
const clientAdvice =
  "The site rejected the platform's client id. The platform operator must register the client id with the site. After that, calls may work again automatically. If they do not, reconnect the site."
