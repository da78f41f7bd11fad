import { setTimeout as sleep } from 'node:timers/promises'
import { decodeUtf8, parseJson } from '../src/json.ts'
import { SafeFetchError, type SafeFetch, type SafeFetchReason, type SafeRequest } from '../src/safe-fetch/safe-fetch.ts'

/** What came of one request. Without an answer the status is 0, and `failure` says why. */
export interface Outcome {
  status: number
  headers: Headers
  /** Undefined where the bytes are not UTF-8. */
  text: string | undefined
  bytes: Uint8Array
  /** Undefined where the text is no JSON. */
  json: unknown
  failure?: SafeFetchReason
  /** What happened, for a sentence: `answered with the status 200`. */
  what: string
}

type Ask = Pick<SafeRequest, 'url' | 'method'> & {
  headers?: Record<string, string>
  body?: string
  token?: string | undefined
  maxBytes?: number
  /** Take a 429 as it is, in place of waiting as the site says. */
  impatient?: boolean
}

export interface Asked {
  url: string
  secrets: string[]
  outcome: Outcome
}

/** Sends the checker's requests as the platform sends its own, one after the other, and keeps what was answered. */
export function createExchange({
  fetch,
  timeoutSeconds,
  patienceSeconds,
}: {
  fetch: SafeFetch
  timeoutSeconds: number
  patienceSeconds: number
}) {
  const asked: Asked[] = []

  async function once({ url, method, token, headers = {}, body, maxBytes = 1024 * 1024 }: Ask): Promise<Outcome> {
    const all = { accept: 'application/json', ...headers, ...(token && { authorization: `Bearer ${token}` }) }
    const limits = { timeoutMs: timeoutSeconds * 1000, maxBytes, showRedirect: true }
    const request = { url, method, headers: all, ...(body !== undefined && { body }), ...limits }
    const outcome = await fetch(request).then(toOutcome, toFailure)
    asked.push({ url, secrets: secretsIn(token, body), outcome })
    return outcome
  }

  return {
    /** Every request so far, oldest first. */
    asked,
    /** Sends one request. Of a 429 whose Retry-After is short it waits as long, and asks once more. Never throws. */
    async ask(request: Ask): Promise<Outcome> {
      const outcome = await once(request)
      const seconds = Number(outcome.headers.get('retry-after') ?? Number.NaN)
      if (outcome.status !== 429 || request.impatient || !(seconds <= patienceSeconds)) return outcome
      await sleep(seconds * 1000)
      return once(request)
    },
  }
}

export type Exchange = ReturnType<typeof createExchange>

/** What must not come back in an error: the token, and the secrets of a form. */
function secretsIn(token: string | undefined, body = ''): string[] {
  const form = new URLSearchParams(body.startsWith('{') ? '' : body)
  const secrets = [token, ...['code', 'refresh_token', 'code_verifier', 'token'].map((name) => form.get(name))]
  return secrets.filter((secret): secret is string => typeof secret === 'string' && secret.length >= 8)
}

function toOutcome({ status, headers, body }: Awaited<ReturnType<SafeFetch>>): Outcome {
  const text = decodeUtf8(body)
  const parsed = text === undefined ? undefined : parseJson(text)
  const location = status >= 300 && status < 400 ? headers.get('location') : null
  const what = location === null ? `answered with the status ${status}` : `redirected (${status}) to ${shown(location)}`
  return { status, headers, text, bytes: body, json: parsed?.ok ? parsed.value : undefined, what }
}

function toFailure(error: unknown): Outcome {
  if (!(error instanceof SafeFetchError)) throw error
  const what = `gave no usable answer: ${error.message}`
  const empty = { headers: new Headers(), text: undefined, bytes: new Uint8Array(), json: undefined }
  return { status: 0, ...empty, failure: error.reason, what }
}

/** Without the query, which may hold a code. */
const shown = (location: string): string => location.replace(/[?#].*/s, '').slice(0, 200)

export const isSuccess = ({ status }: Outcome): boolean => status >= 200 && status < 300
export const isRefusal = ({ status }: Outcome): boolean => status >= 400 && status < 500

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of the member `error` (docs/specification.md, "Site-side errors"); undefined where there is none. */
export function errorOf({ json }: Outcome): string | undefined {
  const error = isObject(json) ? json['error'] : undefined
  return typeof error === 'string' && error.trim() !== '' ? error : undefined
}
