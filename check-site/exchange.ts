import { setTimeout as sleep } from 'node:timers/promises'
import { decodeUtf8, isObject, parseJson } from '../src/json.ts'
import { retryAfter } from '../src/safe-fetch/retry-after.ts'
import { SafeFetchError, type SafeFetch, type SafeFetchReason, type SafeRequest } from '../src/safe-fetch/safe-fetch.ts'
import { connectionProblem } from './connection-problems.ts'
import { evidenceOf } from './evidence.ts'

/** The outcome of one request. Without a response the status is 0, and `failure` has the reason. */
export interface Outcome {
  status: number
  headers: Headers
  /** Undefined if the bytes are not UTF-8. */
  text: string | undefined
  bytes: Uint8Array
  /** Undefined if the text is not JSON. */
  json: unknown
  failure?: SafeFetchReason
  /** The outcome for a sentence: `answered with status 200 (application/json): {"id":1}`. */
  what: string
  fix?: string
  /** The time of the response, in milliseconds since 1970. */
  at: number
}

type SiteRequest = Pick<SafeRequest, 'url' | 'method'> & {
  headers?: Record<string, string>
  body?: string
  token?: string | undefined
  maxBytes?: number
  /** Other secrets of the request, which must not be shown. */
  secrets?: string[]
  /** Return a 429 immediately, without waiting for Retry-After. */
  ignoreRetryAfter?: boolean
}

interface SentRequest {
  url: string
  secrets: string[]
  outcome: Outcome
}

/** Sends the checker's requests one at a time, as the platform would, and keeps the responses. */
export function createExchange({
  fetch,
  timeoutSeconds,
  patienceSeconds,
  secrets: given,
}: {
  fetch: SafeFetch
  timeoutSeconds: number
  patienceSeconds: number
  /** Never shown in a report. */
  secrets: string[]
}) {
  const sent: SentRequest[] = []
  const known = new Set(given)

  async function sendOnce({
    url,
    method,
    token,
    headers = {},
    body,
    secrets: more = [],
    maxBytes = 1024 * 1024,
  }: SiteRequest): Promise<Outcome> {
    const all = { accept: 'application/json', ...headers, ...(token && { authorization: `Bearer ${token}` }) }
    const limits = { timeoutMs: timeoutSeconds * 1000, maxBytes, showRedirect: true }
    const request = { url, method, headers: all, ...(body !== undefined && { body }), ...limits }
    const secrets = [...secretsIn(token, body), ...more]
    for (const secret of secrets) known.add(secret)
    const outcome = await fetch(request).then((response) => toOutcome(response, [...known]), toFailure)
    sent.push({ url, secrets, outcome })
    return outcome
  }

  return {
    /** Every request so far, oldest first. */
    sent,
    /** Sends one request. After a 429 with a short Retry-After it waits and sends it once more. Never throws. */
    async send(request: SiteRequest): Promise<Outcome> {
      const outcome = await sendOnce(request)
      const { retryAfter: seconds = Number.NaN } = retryAfter(outcome.headers)
      if (outcome.status !== 429 || request.ignoreRetryAfter || !(seconds <= patienceSeconds)) return outcome
      await sleep(seconds * 1000)
      return sendOnce(request)
    },
  }
}

export type Exchange = ReturnType<typeof createExchange>

/** The secrets of a request that an error must not repeat: the token, and the secrets of a form. */
function secretsIn(token: string | undefined, body = ''): string[] {
  const form = new URLSearchParams(body.startsWith('{') ? '' : body)
  const secrets = [token, ...['code', 'refresh_token', 'code_verifier', 'token'].map((name) => form.get(name))]
  return secrets.filter((secret): secret is string => typeof secret === 'string' && secret.length >= 8)
}

function toOutcome({ status, headers, body }: Awaited<ReturnType<SafeFetch>>, secrets: string[]): Outcome {
  const text = decodeUtf8(body)
  const parsed = text === undefined ? undefined : parseJson(text)
  const what = evidenceOf({ status, headers, text }, secrets)
  return { status, headers, text, bytes: body, json: parsed?.ok ? parsed.value : undefined, what, at: Date.now() }
}

function toFailure(error: unknown): Outcome {
  if (!(error instanceof SafeFetchError)) throw error
  const empty = { headers: new Headers(), text: undefined, bytes: new Uint8Array(), json: undefined }
  return { status: 0, ...empty, failure: error.reason, ...connectionProblem(error), at: Date.now() }
}

export const isSuccess = ({ status }: Outcome): boolean => status >= 200 && status < 300
export const isRefusal = ({ status }: Outcome): boolean => status >= 400 && status < 500

/** The member `error` (docs/specification.md, "Site-side errors") if it is a string. */
export function errorOf({ json }: Outcome): string | undefined {
  const error = isObject(json) ? json['error'] : undefined
  return typeof error === 'string' && error.trim() !== '' ? error : undefined
}
