import * as oauth from 'oauth4webapi'
import { retryAfter } from '../../safe-fetch/retry-after.ts'
import { SafeFetchError, type SafeFetchReason } from '../../safe-fetch/safe-fetch.ts'
import { withoutSecrets } from '../../safe-fetch/sent-secrets.ts'
import type { Scope } from '../../sites/tool.ts'

/** A grant as the site's token endpoint gave it (docs/specification.md, "OAuth token response"). */
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
  /** `error` of RFC 6749, 5.2; undefined where the site refused without one that could be read. */
  | { kind: 'refused'; error?: string; message: string }
  | {
      kind: 'failed' | 'not_sent' | 'ambiguous'
      message: string
      retryAfter?: number | undefined
      /** No answer came, as opposed to one that is of no use. */
      unreachable?: boolean
    }

/** Years are no lifetime that anybody means; the clock of a database column ends somewhere, too. */
const longestLifetime = 365 * 24 * 60 * 60

/**
 * Carries out a request to a token endpoint; every answer and every failure is an outcome. The secrets that are sent
 * with it are in no message, even if the site quotes them.
 */
export async function attempt(
  secrets: readonly string[],
  work: () => Promise<oauth.TokenEndpointResponse>,
): Promise<TokenOutcome> {
  try {
    return toOutcome(await work())
  } catch (error) {
    return failure(error, secrets)
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

function failure(error: unknown, secrets: readonly string[]): TokenOutcome {
  if (error instanceof SafeFetchError) return unfetched(error)
  if (error instanceof oauth.ResponseBodyError) return refusal(error, secrets)
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

/**
 * Busy is not broken: with 429 and 503 a server says that it has not begun (RFC 9110, 15.6.4). Any other 4xx is a no,
 * however it is worded; 408 is what gateways say, too, when they have waited in vain for the server behind them.
 */
function fromStatus({ status, headers }: Response): TokenOutcome {
  const message = `The site's token address answered with the status ${status}.`
  if (status === 429 || status === 503) return { kind: 'failed', message, ...retryAfter(headers) }
  return { kind: saysNo(status) ? 'refused' : 'ambiguous', message }
}

const saysNo = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

/** An error of RFC 6749, 5.2. With another status than that of a refusal it says nothing about what happened before. */
function refusal(answer: oauth.ResponseBodyError, secrets: readonly string[]): TokenOutcome {
  const { error, response } = answer
  if (!saysNo(response.status)) return fromStatus(response)
  const description: unknown = answer.error_description
  const words = [error, description].flatMap((text) => (typeof text === 'string' ? plainWithout(text, secrets) : []))
  return { kind: 'refused', error, message: `The site answered ${words[0]}${words[1] ? ` (${words[1]})` : ''}.` }
}

/** A site's words, as text that may be shown anywhere. */
export const plain = (words: string): string => plainWithout(words, [])

const plainWithout = (words: string, secrets: readonly string[]): string =>
  withoutSecrets(words.replaceAll(/[^\x20-\x7e]/g, ''), secrets).slice(0, 200)
