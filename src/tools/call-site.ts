import type { Form, FormAnswer } from '../forms/form.ts'
import { cleanName, withoutHidden } from '../names.ts'
import { beginningOf, isStorable, shortened, storable } from '../text.ts'
import { hidingOf } from '../hiding/hiding-cache.ts'
import type * as inThread from '../in-thread.ts'
import { decodeUtf8 } from '../json.ts'
import type { Logger } from '../logger.ts'
import { retryAfter } from '../safe-fetch/retry-after.ts'
import type { SafeFetchReason, SafeResponse } from '../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../safe-fetch/safe-fetch-error.ts'
import { refusedAddress, unreached } from '../safe-fetch/unreached-site.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import { inlineCharacters } from '../threads/inline-characters.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import type { ManifestTool } from '../sites/tool.ts'
import { readAnswer, readRefusal, type ReadAnswer, type SiteAnswer } from './site-answer.ts'
import { unreadResult } from './unread-result.ts'

export interface SiteCall {
  dialect: DialectName
  entryId: string
  /** Which of the entry's credentials the token is. */
  generation: number
  serverUrl: string
  tool: string
  /** The tool as its owner has seen it. */
  pinned?: ManifestTool | undefined
  /** Empty for a site without sign-in. */
  token: string
  /** How the token is sent, for the adapter alone. */
  credential?: unknown
  /** Secrets besides the token to mask in the outcome. */
  secrets?: readonly string[] | undefined
  /** The fairness key in the threads. */
  ownerId: string
  arguments: string
  idempotencyKey: string
  /** Whether a person can be asked in the middle of the call, and what one has answered to the last question. */
  mayAsk?: boolean | undefined
  answer?: FormAnswer | undefined
  /** Whether the end of a call can be waited for that the site works on after its response. */
  mayLast?: boolean | undefined
  /** What the site works on. Then nothing is begun: the attempt asks what has become of it. */
  job?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * The outcome of one attempt. `certain`: the site certainly did nothing, so any tool can be called again. Only a
 * refusal by the site (401, 403, 429) or a connection that was never made proves that.
 */
export type CallOutcome =
  | { kind: 'succeeded'; httpStatus: number; text: string }
  /**
   * The site wants to know something from a person before it ends the call. `state`: what the request that continues the
   * call has to carry, for its adapter alone.
   */
  | { kind: 'asks'; httpStatus: number; certain: false; text: string; form: Form; state: string }
  /**
   * The site has accepted the call and works on it. `job`: what a request about that has to carry, for its adapter alone.
   * `text`: what the site says about its progress, or nothing. `askAfter`: when it wants to be asked, in seconds.
   */
  | { kind: 'accepted'; httpStatus: number; certain: false; text: string; job: string; askAfter?: number | undefined }
  /** The site ran the call, as its 2xx says (RFC 9110, 15.3), but its answer is not a readable JSON object. */
  | { kind: 'unread'; httpStatus: number; text: string }
  /** `wanted`: the scopes that the site asks for. */
  | {
      kind: 'refused'
      httpStatus: 401 | 403 | 429
      certain: true
      text: string
      retryAfter?: number
      wanted?: readonly string[]
    }
  /** `listIsStale`: the site does not know the tool, so its list has changed. */
  | { kind: 'rejected'; httpStatus: number; certain: false; text: string; listIsStale?: true }
  /**
   * `retryAfter`: the pause that the site requested, in seconds. `isJobOver`: the site will never say more about what it
   * worked on.
   */
  | {
      kind: 'broken'
      httpStatus: number | null
      certain: false
      text: string
      retryAfter?: number
      isJobOver?: true
    }
  /** `permanent`: a retry would have the same outcome. */
  | { kind: 'unavailable'; httpStatus: null; certain: boolean; text: string; permanent?: true }

/**
 * Reads what sites answer to tool calls, in every dialect. Whatever a site does is an outcome. No outcome contains the
 * token or another secret, even if the site returns it.
 */
export function createCallSite(context: { logger: Logger; threads: Pick<Threads<typeof inThread>, 'run'> }) {
  const { logger, threads } = context

  /** The reader of answers for an owner. Long answers are read in a thread. */
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

  /** The log omits the site's text, which may quote the request. */
  function note({ serverUrl, tool }: SiteCall, failure: object): void {
    logger.warn({ host: URL.parse(serverUrl)?.host, tool, ...failure }, 'tool call failed')
  }

  return {
    /** One attempt. A request that fails is an outcome too. Throws only if the call's signal aborts it. */
    async attempt(call: SiteCall, make: () => Promise<CallOutcome>): Promise<CallOutcome> {
      try {
        const outcome = await make()
        if (outcome.kind !== 'succeeded' && outcome.kind !== 'asks' && outcome.kind !== 'accepted')
          note(call, { outcome: outcome.kind, status: outcome.httpStatus })
        return outcome
      } catch (error) {
        if (!(error instanceof SafeFetchError)) throw error
        if (error.reason === 'aborted') throw call.signal?.reason ?? error
        note(call, { outcome: error.reason, code: error.code })
        return failedToSend(error)
      }
    },

    /** What an HTTP response means whose status tells how the call ended. */
    ofResponse: (
      call: SiteCall,
      response: SafeResponse,
      form: Pick<SiteAnswer, 'mayBeAnyValue'> = {},
    ): Promise<CallOutcome> => classify(response, secretsOf(call), withForm(readerFor(call.ownerId), form)),

    /** What a result means that the site gave as this JSON text. */
    ofResult: (call: SiteCall, httpStatus: number, text: string): Promise<CallOutcome> =>
      classifySuccess(httpStatus, text, secretsOf(call), readerFor(call.ownerId)),

    /** A question of the site to a person. It is stored and shown as it is, so it may contain no secret. */
    async ofQuestion(call: SiteCall, httpStatus: number, asked: { form: Form; state: string }): Promise<CallOutcome> {
      const text = JSON.stringify(asked)
      const containsSecret = (await hidingOf(secretsOf(call))).json(text) !== text
      if (containsSecret) return { kind: 'rejected', httpStatus, certain: false, text: quotesSecret }
      return { kind: 'asks', httpStatus, certain: false, text: 'The site asks for input.', ...asked }
    },

    /** The site works on the call. What is stored of that as it is may contain no secret. */
    async ofJob(call: SiteCall, httpStatus: number, { job, words, askAfter }: GivenJob): Promise<CallOutcome> {
      const hiding = await hidingOf(secretsOf(call))
      if (!isStorable(job) || hiding.text(job) !== job || Buffer.byteLength(job) > mostJobBytes)
        return { ...broken(httpStatus, uselessJob), isJobOver: true }
      // Cut before and after: masking takes time, and may make the text longer.
      const said = hiding.text(beginningOf(words, 4 * longestWords))
      const text = shortened(cleanName(withoutHidden(storable(said))), longestWords)
      return { kind: 'accepted', httpStatus, certain: false, text, job, askAfter }
    },

    /** Those of these scopes that contain no secret: they are stored, shown and requested as they are. */
    async plainScopes(call: SiteCall, scopes: readonly string[]): Promise<string[]> {
      const hiding = await hidingOf(secretsOf(call))
      return scopes.filter((scope) => hiding.text(scope) === scope)
    },

    /** A failure that the site itself reported, in its words. `sentence` introduces them. */
    async ofFailure(
      call: SiteCall,
      kind: 'rejected' | 'broken',
      { httpStatus, sentence, words }: { httpStatus: number; sentence: string; words: string },
    ): Promise<CallOutcome> {
      const text = JSON.stringify({ error: words })
      const said = await readerFor(call.ownerId).refusal({ text, secrets: secretsOf(call) })
      return { kind, httpStatus, certain: false, text: `${sentence}${quoted(said)}` }
    },
  }
}

export type CallSite = ReturnType<typeof createCallSite>

/** What an adapter knows of a call that the site works on, in the site's words. */
interface GivenJob {
  job: string
  words: string
  askAfter?: number | undefined
}

const longestWords = 200
const mostJobBytes = 2048

const uselessJob =
  'The site works on the call, but cannot be asked about it: what it named the work by is too long, or contains a secret.'

const quotesSecret = 'The tool asks for input in a form that contains a secret, so nobody was asked.'

const secretsOf = ({ token, secrets = [] }: SiteCall): string[] => [token, ...secrets]

interface Reader {
  answer: (answer: SiteAnswer) => Promise<ReadAnswer>
  refusal: (answer: SiteAnswer) => Promise<string>
}

const withForm = (reader: Reader, form: Pick<SiteAnswer, 'mayBeAnyValue'>): Reader => ({
  ...reader,
  answer: (answer) => reader.answer({ ...answer, ...form }),
})

function failedToSend({ reason, maybeSent, status }: SafeFetchError): CallOutcome {
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

async function classify(response: SafeResponse, secrets: string[], read: Reader): Promise<CallOutcome> {
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

async function classifySuccess(
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

const broken = (httpStatus: number | null, text: string): Extract<CallOutcome, { kind: 'broken' }> => ({
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

const quoted = (words: string): string => (words === '' ? '' : ` The site says: ${JSON.stringify(words)}`)
