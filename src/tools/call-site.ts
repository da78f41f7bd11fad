import type { Form, FormAnswer } from '../forms/form.ts'
import { cleanName, withoutHidden } from '../names.ts'
import { beginningOf, isStorable, shortened, storable } from '../text.ts'
import { hidingOf } from '../hiding/hiding-cache.ts'
import type * as inThread from '../in-thread.ts'
import type { Logger } from '../logger.ts'
import type { SafeResponse } from '../safe-fetch/safe-fetch.ts'
import { SafeFetchError } from '../safe-fetch/safe-fetch-error.ts'
import type { DialectName } from '../sites/dialects/dialect-name.ts'
import { inlineCharacters } from '../threads/inline-characters.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import type { ManifestTool } from '../sites/tool.ts'
import { readAnswer, readRefusal, type SiteAnswer } from './site-answer.ts'
import type { CallOutcome } from './call-outcome.ts'
import { broken, classify, classifySuccess, failedToSend, quoted, type Reader } from './classify-response.ts'

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

    /**
     * The request of a call, which `make` writes before anything is sent. What it throws is a fault of the platform, and
     * no reason to doubt whether the site has acted. Its message may quote arguments, so only its place is logged.
     */
    prepared<T>(call: SiteCall, make: () => T): T | { problem: string } {
      try {
        return make()
      } catch (error) {
        const { name, stack = '' } = error as Error
        note(call, { outcome: 'unprepared', error: name, at: stack.match(/\n {4}at .*/)?.[0].trim() })
        return { problem: 'The platform could not write the request.' }
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

const withForm = (reader: Reader, form: Pick<SiteAnswer, 'mayBeAnyValue'>): Reader => ({
  ...reader,
  answer: (answer) => reader.answer({ ...answer, ...form }),
})
