import { decodeUtf8 } from '../json.ts'
import { retryAfter } from '../safe-fetch/retry-after.ts'
import type { SafeFetchReason, SafeResponse } from '../safe-fetch/safe-fetch.ts'
import type { SafeFetchError } from '../safe-fetch/safe-fetch-error.ts'
import { refusedAddress, unreached } from '../safe-fetch/unreached-site.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { ReadAnswer, SiteAnswer } from './site-answer.ts'
import { unreadResult } from './unread-result.ts'

/** Reads what a site sent, without its secrets. */
export interface Reader {
  answer: (answer: SiteAnswer) => Promise<ReadAnswer>
  refusal: (answer: SiteAnswer) => Promise<string>
}

/** What a request without a usable response means. */
export function failedToSend({ reason, maybeSent, status }: SafeFetchError): CallOutcome {
  const unreadable = unreadableReasons[reason]
  if (unreadable !== undefined) {
    return status !== undefined && isSuccess(status)
      ? unread(status, unreadable)
      : broken(status ?? null, `The site's response ${unreadable}.`)
  }
  if (reason === 'redirect') {
    // Some sites answer 303 to a POST that took effect.
    return broken(
      null,
      'The site responded with a redirect. Redirects are not followed because the request carries a credential.',
    )
  }
  return {
    kind: 'unavailable',
    httpStatus: null,
    certain: !maybeSent,
    text: sentences[reason] ?? unreached,
    // The same address is invalid again.
    ...(reason === 'invalid-url' && { permanent: true }),
  }
}

const sentences: Partial<Record<SafeFetchReason, string>> = {
  'refused-address': refusedAddress,
  tls: 'The site has no valid certificate for its host name or does not support TLS.',
  timeout: 'The site did not respond in time.',
  reset: 'The site closed the connection without responding.',
  'invalid-url': "The address in the site's manifest is invalid.",
}

const unreadableReasons: Partial<Record<SafeFetchReason, string>> = {
  'too-large': 'is too large',
  encoding: 'could not be decompressed',
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** What an HTTP response means whose status tells how the call ended. */
export async function classify(response: SafeResponse, secrets: string[], read: Reader): Promise<CallOutcome> {
  const { status } = response
  const text = decodeUtf8(response.body)
  if (isSuccess(status)) return classifySuccess(status, text, secrets, read)
  const quotation = quoted(text === undefined ? '' : await read.refusal({ text, secrets }))
  if (status === 401 || status === 403 || status === 429) {
    const text = refusal(status, quotation)
    return { kind: 'refused', httpStatus: status, certain: true, text, ...retryAfter(response.headers) }
  }
  if (status >= 500 || status === 408) {
    const failed = broken(status, `The site failed with status ${status}.${quotation}`)
    // Only for 503 does the header have a meaning here (RFC 9110, 10.2.3).
    return status === 503 ? { ...failed, ...retryAfter(response.headers) } : failed
  }
  return {
    kind: 'rejected',
    httpStatus: status,
    certain: false,
    text: `The site rejected the call with status ${status}.${quotation}`,
  }
}

/** What the body of a response with a status of success means. */
export async function classifySuccess(
  status: number,
  body: string | undefined,
  secrets: string[],
  read: Reader,
): Promise<CallOutcome> {
  if (body === undefined) return unread(status, 'is not valid UTF-8')
  // As 204 defines (RFC 9110, 15.3.5), and as many sites answer a deletion with other statuses.
  if (body.trim() === '') return { kind: 'succeeded', httpStatus: status, text: '{}' }
  const result = await read.answer({ text: body, secrets })
  if ('text' in result) return { kind: 'succeeded', httpStatus: status, text: result.text }
  return unread(status, problems[result.problem])
}

const problems = {
  'no-json': 'is not valid JSON',
  'no-object': 'is not a JSON object',
  'too-complex': 'is too complex',
}

const unread = (httpStatus: number, problem: string): CallOutcome => ({
  kind: 'unread',
  httpStatus,
  text: `${unreadResult} The response ${problem}.`,
})

/** An outcome that may have been an effect. */
export const broken = (httpStatus: number | null, text: string): Extract<CallOutcome, { kind: 'broken' }> => ({
  kind: 'broken',
  httpStatus,
  certain: false,
  text,
})

function refusal(status: 401 | 403 | 429, quotation: string): string {
  if (status === 401) return `The site rejected the token.${quotation}`
  if (status === 403) return `The site does not allow this user to perform the operation.${quotation}`
  return `The site's rate limit has been exceeded.${quotation}`
}

/** A site's own words, at the end of a sentence. */
export const quoted = (words: string): string => (words === '' ? '' : ` The site says: ${JSON.stringify(words)}`)
