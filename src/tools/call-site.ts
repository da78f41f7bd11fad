import type { Config } from '../config/config.ts'
import type * as inThread from '../in-thread.ts'
import { decodeUtf8 } from '../json.ts'
import type { Logger } from '../logger.ts'
import { retryAfter } from '../safe-fetch/retry-after.ts'
import type { SafeFetch, SafeFetchReason, SafeResponse } from '../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../safe-fetch/safe-fetch-error.ts'
import { refusedAddress, unreached } from '../safe-fetch/unreached.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { readAnswer, readRefusal, type ReadAnswer, type SiteAnswer } from './site-answer.ts'
import { unreadResult } from './unread-result.ts'

/** One tool call as it is sent (docs/specification.md, "Tool call"). */
export interface SiteCall {
  serverUrl: string
  tool: string
  token: string
  /** What else must not be in the outcome, besides the token. */
  secrets?: readonly string[] | undefined
  /** Whose turn it is in the threads. */
  ownerId: string
  /** The JSON text of the arguments object. */
  arguments: string
  idempotencyKey: string
  signal?: AbortSignal | undefined
}

/**
 * The outcome of one attempt. `certain`: the site certainly did nothing, so a repeat is safe for any tool. Only a
 * refusal by the site (401, 403, 429) or a connection that was never made prove that.
 */
export type CallOutcome =
  /** `text` is the JSON text of the result. */
  | { kind: 'succeeded'; httpStatus: number; text: string }
  /** The site carried it out, as its 2xx says (RFC 9110, 15.3), but its answer is no JSON object that can be read. */
  | { kind: 'unread'; httpStatus: number; text: string }
  | { kind: 'refused'; httpStatus: 401 | 403 | 429; certain: true; text: string; retryAfter?: number }
  | { kind: 'rejected'; httpStatus: number; certain: false; text: string }
  /** `retryAfter`: seconds for which the site asked to be left alone. */
  | { kind: 'broken'; httpStatus: number | null; certain: false; text: string; retryAfter?: number }
  /** `permanent`: a retry would have the same outcome. */
  | { kind: 'unavailable'; httpStatus: null; certain: boolean; text: string; permanent?: true }

/**
 * Up to here an answer is read at once: parsing and cleaning take three milliseconds at worst, and a thread takes one.
 * Of a mebibyte they take 150.
 */
const inlineCharacters = 16 * 1024

/**
 * Sends tool calls to sites. Never throws for what a site does: every response and every failure is an outcome. Throws
 * only when the signal aborts the call. No outcome contains the token or another of the secrets, even if the site returns it.
 */
export function createCallSite(context: {
  fetch: SafeFetch
  config: Config
  logger: Logger
  threads: Pick<Threads<typeof inThread>, 'run'>
}) {
  const { fetch, config, logger, threads } = context

  /** Who reads answers for the owner: a thread, if they may take long. */
  const readerFor = (party: string): Reader => ({
    answer: async (answer) =>
      answer.text.length <= inlineCharacters
        ? readAnswer(answer)
        : threads.run(party, 'readAnswer', answer).catch(orElse({ problem: 'too-complex' as const })),
    refusal: async (answer) =>
      answer.text.length <= inlineCharacters
        ? readRefusal(answer)
        : threads.run(party, 'readRefusal', answer).catch(orElse('')),
  })

  return async (call: SiteCall): Promise<CallOutcome> => {
    try {
      const outcome = await classify(await fetch(toRequest(call, config)), secretsOf(call), readerFor(call.ownerId))
      if (outcome.kind !== 'succeeded') note(call, { outcome: outcome.kind, status: outcome.httpStatus })
      return outcome
    } catch (error) {
      if (!(error instanceof SafeFetchError)) throw error
      if (error.reason === 'aborted') throw call.signal?.reason ?? error
      note(call, { outcome: error.reason, code: error.code })
      return failedToSend(error)
    }
  }

  /** The site's words stay out of the log: they may quote what was sent. */
  function note({ serverUrl, tool }: SiteCall, failure: object): void {
    logger.warn({ host: URL.parse(serverUrl)?.host, tool, ...failure }, 'tool call failed')
  }
}

const secretsOf = ({ token, secrets = [] }: SiteCall): string[] => [token, ...secrets]

interface Reader {
  answer: (answer: SiteAnswer) => Promise<ReadAnswer>
  refusal: (answer: SiteAnswer) => Promise<string>
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

function failedToSend({ reason, maybeSent, status }: SafeFetchError): CallOutcome {
  const unreadable = unreadables[reason]
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
  }
}

const sentences: Partial<Record<SafeFetchReason, string>> = {
  'refused-address': refusedAddress,
  tls: 'The site has no valid certificate for its host name or does not support TLS.',
  timeout: 'The site did not respond in time.',
  reset: 'The site closed the connection without responding.',
  'invalid-url': "The address in the site's manifest is invalid.",
}

/** What is wrong with a response that arrived and was not read. */
const unreadables: Partial<Record<SafeFetchReason, string>> = {
  'too-large': 'is too large',
  encoding: 'could not be decompressed',
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

async function classify(response: SafeResponse, secrets: string[], read: Reader): Promise<CallOutcome> {
  const { status } = response
  const text = decodeUtf8(response.body)
  if (isSuccess(status)) return classifySuccess(status, text, secrets, read)
  const said = quoted(text === undefined ? '' : await read.refusal({ text, secrets }))
  if (status === 401 || status === 403 || status === 429) {
    const text = refusal(status, said)
    return { kind: 'refused', httpStatus: status, certain: true, text, ...retryAfter(response.headers) }
  }
  if (status >= 500 || status === 408) {
    const failed = broken(status, `The site failed with status ${status}.${said}`)
    // Only 503 gives the header a meaning for what comes next (RFC 9110, 10.2.3).
    return status === 503 ? { ...failed, ...retryAfter(response.headers) } : failed
  }
  return {
    kind: 'rejected',
    httpStatus: status,
    certain: false,
    text: `The site rejected the call with status ${status}.${said}`,
  }
}

async function classifySuccess(
  status: number,
  body: string | undefined,
  secrets: string[],
  read: Reader,
): Promise<CallOutcome> {
  if (body === undefined) return unread(status, 'is not valid UTF-8')
  // As 204 says (RFC 9110, 15.3.5), and many sites with other statuses, after a deletion.
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

const broken = (httpStatus: number | null, text: string): Extract<CallOutcome, { kind: 'broken' }> => ({
  kind: 'broken',
  httpStatus,
  certain: false,
  text,
})

function refusal(status: 401 | 403 | 429, said: string): string {
  if (status === 401) return `The site rejected the token.${said}`
  if (status === 403) return `The site does not allow this user to perform the operation.${said}`
  return `The site's rate limit has been exceeded.${said}`
}

/** The site's own words, marked as such, or nothing. */
const quoted = (words: string): string => (words === '' ? '' : ` The site says: ${JSON.stringify(words)}`)
