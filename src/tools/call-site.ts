import type { Config } from '../config/config.ts'
import { decodeUtf8, parseJson } from '../json.ts'
import { retryAfter } from '../safe-fetch/retry-after.ts'
import type { SafeFetch, SafeResponse } from '../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../safe-fetch/safe-fetch-error.ts'
import { jsonWithoutSecrets, withoutSecrets } from '../safe-fetch/sent-secrets.ts'

/** One tool call as it is sent (docs/specification.md, "Tool call"). */
export interface SiteCall {
  serverUrl: string
  tool: string
  token: string
  /** The JSON text of the arguments object. */
  arguments: string
  idempotencyKey: string
  signal?: AbortSignal | undefined
}

/**
 * What came of one attempt. `certain` says whether it is known that the site did nothing: then a repeat is harmless
 * whatever the tool does. Only a refusal by the site (401, 403, 429) or a connection that never came about prove that.
 */
export type CallOutcome =
  | { kind: 'succeeded'; httpStatus: number; text: string; value: Record<string, unknown> }
  | { kind: 'refused'; httpStatus: 401 | 403 | 429; certain: true; text: string; retryAfter?: number }
  | { kind: 'rejected'; httpStatus: number; certain: false; text: string }
  | { kind: 'broken'; httpStatus: number | null; certain: false; text: string }
  /** `hopeless`: trying again soon would come to the same. */
  | { kind: 'unavailable'; httpStatus: null; certain: boolean; text: string; hopeless?: true }

/**
 * Sends tool calls to sites. Never throws for what a site does: every answer and every failure is an outcome. Throws
 * only when the signal aborts the call. The token is in no outcome, even if the site gives it back.
 */
export function createCallSite(context: { fetch: SafeFetch; config: Config }) {
  const { fetch, config } = context
  return async (call: SiteCall): Promise<CallOutcome> => {
    try {
      return judge(await fetch(toRequest(call, config)), call.token)
    } catch (error) {
      if (!(error instanceof SafeFetchError)) throw error
      if (error.reason === 'aborted') throw call.signal?.reason ?? error
      return failedToSend(error)
    }
  }
}

const toRequest = (call: SiteCall, config: Config) => ({
  url: `${call.serverUrl.replace(/\/+$/, '')}/tools/${encodeURIComponent(call.tool)}`,
  method: 'POST' as const,
  headers: {
    authorization: `Bearer ${call.token}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'idempotency-key': call.idempotencyKey,
  },
  body: call.arguments,
  timeoutMs: config.sites.timeoutSeconds * 1000,
  maxBytes: config.sites.resultBytes,
  signal: call.signal,
})

function failedToSend({ reason, maybeSent }: SafeFetchError): CallOutcome {
  if (reason === 'too-large') return broken(null, 'The answer of the site was too large and was not kept.')
  if (reason === 'redirect') {
    // 303 is what some sites answer to a POST that they have carried out.
    return broken(null, 'The site answered with a redirect, which is not followed with a credential.')
  }
  return { kind: 'unavailable', httpStatus: null, certain: !maybeSent, text: reach[reason] ?? reach['connect'] }
}

/**
 * A refused address, a name that does not resolve and a closed port read the same, as for manifests: the difference
 * would let a manifest map the network that this server stands in.
 */
const reach: Record<string, string> & { connect: string } = {
  connect: 'The site could not be reached.',
  tls: 'No secure connection to the site could be made.',
  timeout: 'The site did not answer in time.',
  reset: 'The site closed the connection before it had answered.',
  'invalid-url': "The address in the site's manifest cannot be used.",
}

function judge(response: SafeResponse, token: string): CallOutcome {
  const { status } = response
  const text = decodeUtf8(response.body)
  if (status >= 200 && status < 300) return judgeAnswer(status, text, token)
  const said = siteError(text, token)
  if (status === 401 || status === 403 || status === 429) {
    const text = refusal(status, said)
    return { kind: 'refused', httpStatus: status, certain: true, text, ...retryAfter(response.headers) }
  }
  if (status >= 500 || status === 408) return broken(status, `The site failed with status ${status}.${said}`)
  return {
    kind: 'rejected',
    httpStatus: status,
    certain: false,
    text: `The site refused with status ${status}.${said}`,
  }
}

function judgeAnswer(status: number, body: string | undefined, token: string): CallOutcome {
  if (body === undefined) return broken(status, 'The answer of the site is not valid UTF-8.')
  const given = parseJson(body, { maxDepth: 100 })
  if (!given.ok) return broken(status, 'The answer of the site is not valid JSON.')
  const text = jsonWithoutSecrets(body, [token])
  const value: unknown = text === body ? given.value : JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return broken(status, 'The answer of the site is not a JSON object.')
  }
  return { kind: 'succeeded', httpStatus: status, text, value: value as Record<string, unknown> }
}

const broken = (httpStatus: number | null, text: string): CallOutcome => ({
  kind: 'broken',
  httpStatus,
  certain: false,
  text,
})

function refusal(status: 401 | 403 | 429, said: string): string {
  if (status === 401) return `The site does not accept the token any more.${said}`
  if (status === 403) return `The site does not permit this operation to the user.${said}`
  return `The site's rate limit is exceeded.${said}`
}

/** The site's own words, cut and labelled as such, or nothing. */
function siteError(text: string | undefined, token: string): string {
  const parsed = text === undefined ? undefined : parseJson(text, { maxDepth: 20 })
  const error = parsed?.ok ? (parsed.value as { error?: unknown } | null)?.error : undefined
  if (typeof error !== 'string' || error === '') return ''
  const words = withoutSecrets(error.toWellFormed().replaceAll('\u0000', ''), [token]).slice(0, 2000)
  return ` The site says: ${JSON.stringify(words)}`
}
