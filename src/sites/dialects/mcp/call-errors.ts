import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { decodeUtf8, isObject, parseJson } from '../../../json.ts'
import type { SafeResponse } from '../../../safe-fetch/safe-fetch.ts'
import { SafeFetchError, type SafeFetchReason } from '../../../safe-fetch/safe-fetch-error.ts'
import type { CallOutcome } from '../../../tools/call-outcome.ts'
import type { CallSite, SiteCall } from '../../../tools/call-site.ts'
import { unreadResult } from '../../../tools/unread-result.ts'
import type { Attempt } from './attempt.ts'
import type { NotOpened } from './session.ts'
import { challengeIn } from './sign-in/challenge.ts'
import { noAnswer } from './session-transport.ts'

/** What the failures of calls mean. */
export function createCallErrors({ callSite }: { callSite: CallSite }) {
  const broken = (attempt: Attempt, text: string): CallOutcome => ({
    kind: 'broken',
    httpStatus: attempt.status ?? null,
    certain: false,
    text,
  })

  /** Errors of JSON-RPC (2.0, 5.1) and of MCP. Only some codes say that the request was not executed. */
  async function ofProtocolError(call: SiteCall, { code, message, data }: ProtocolError, attempt: Attempt) {
    if (data === noAnswer) return unanswered
    // After other messages, the server had begun.
    const isRefused = refusingCodes.has(code) && !attempt.hasSpoken
    const sentence = isRefused ? 'The site rejected the call.' : 'The site failed.'
    const failure = { httpStatus: attempt.status ?? 200, sentence, words: message }
    const outcome = await callSite.ofFailure(call, isRefused ? 'rejected' : 'broken', failure)
    return code === -32_601 || saysUnknownTool(message) ? asStale(outcome) : outcome
  }

  function ofSdkError(error: SdkError, attempt: Attempt): CallOutcome {
    if (error.code === SdkErrorCode.InvalidResult)
      return { kind: 'unread', httpStatus: attempt.status ?? 200, text: `${unreadResult} It is no result of a tool.` }
    return broken(attempt, unreadable)
  }

  /** Only at this level does a server say which scopes are missing (MCP 2026-07-28, "Scope Challenge Handling"). */
  async function ofRefusal(call: SiteCall, refusal: SafeResponse): Promise<CallOutcome> {
    const outcome = await callSite.ofResponse(call, inPlainForm(refusal))
    const { error, scopes } = challengeIn(refusal.headers)
    const isScope = outcome.kind === 'refused' && outcome.httpStatus === 403 && error === 'insufficient_scope'
    if (!isScope) return outcome
    const wanted = await callSite.plainScopes(call, scopes)
    return wanted.length > 0 ? { ...outcome, wanted } : outcome
  }

  return {
    /** The outcome of a call that was sent. Throws the SafeFetchError of a response that did not arrive. */
    async ofError(call: SiteCall, error: unknown, attempt: Attempt): Promise<CallOutcome> {
      if (attempt.failure) throw withoutStatus(attempt.failure)
      if (attempt.refusal) return ofRefusal(call, attempt.refusal)
      if (error instanceof SdkHttpError) return callSite.ofResponse(call, inPlainForm(responseIn(error)))
      if (error instanceof ProtocolError) return ofProtocolError(call, error, attempt)
      return error instanceof SdkError ? ofSdkError(error, attempt) : broken(attempt, unreadable)
    },

    /** The outcome of a call that was not sent, because there is no session. The site did nothing. */
    async ofNotOpened(call: SiteCall, { attempt: { failure, refusal } }: NotOpened): Promise<CallOutcome> {
      if (refusal && isRefused(refusal.status)) return ofRefusal(call, refusal)
      if (failure && !badResponses.has(failure.reason))
        throw new SafeFetchError(failure.reason, { maybeSent: false, code: failure.code })
      return { kind: 'unavailable', httpStatus: null, certain: true, text: notOpened }
    },

    /** The outcome of a call whose time was over when a session was open. */
    late: { kind: 'unavailable', httpStatus: null, certain: true, text: notOpened } satisfies CallOutcome,
  }
}

/** A lost answer, as if the connection had broken: the call is sent again if its tool may be repeated. */
const unanswered: CallOutcome = {
  kind: 'unavailable',
  httpStatus: null,
  certain: false,
  text: 'The response of the site ended without a result.',
}

/** Whether words say that the server does not know the tool. No code says only that. */
export const saysUnknownTool = (words: string): boolean =>
  /\bunknown tool\b|\btool\b.{1,150}\b(?:not found|disabled)\b/i.test(words.slice(0, 300))

/** A rejection because the list of tools has changed. */
export const asStale = (outcome: CallOutcome): CallOutcome =>
  outcome.kind === 'rejected' ? { ...outcome, listIsStale: true } : outcome

const notOpened = 'The site did not open an MCP session, so the call was not sent.'
const unreadable = "The site's response is not one to a tool call."

/**
 * Whether the server refused a request because it does not know the session, so that it was not executed: 404 (MCP
 * 2025-11-25, "Session Management"), or, as many servers answer, 400 with a sentence about it. An error of JSON-RPC is
 * about the session only if its code and its whole sentence can mean nothing else: tools fail with words of their own.
 */
export function isSessionError(error: unknown): boolean {
  if (!(error instanceof SdkHttpError) || (error.status !== 404 && error.status !== 400)) return false
  const failure = errorIn(textIn(error))
  if (!failure) return error.status === 404
  const { code, message } = failure
  return sessionCodes.has(Number(code)) && typeof message === 'string' && aboutSession.test(message.trim())
}

/** The codes with which servers refuse a request before they look at it. */
const sessionCodes = new Set([-32_600, -32_000, -32_001])

const aboutSession =
  /^(?:(?:bad request|not found|error|invalid request)[:.]? *)?(?:no valid session id provided|(?:(?:mcp[ -])?session(?:[ -]id)?(?: header)?|server) (?:is )?(?:not found|not initialized|invalid|unknown|expired|required|terminated|missing)|(?:invalid|unknown|missing|expired) (?:mcp[ -])?session(?:[ -]id)?(?: header)?)[.!]?$/i

/** Errors in the request. All others may come from the middle of the work. */
const refusingCodes = new Set([-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022, -32_042])

/** After these, the session could not be opened, although a response came. */
const badResponses = new Set<SafeFetchReason>(['too-large', 'encoding', 'redirect', 'aborted'])

const isRefused = (status: number): boolean => status === 401 || status === 403 || status === 429

/** A stream begins with 200 before the tool has run, so the status proves nothing. */
const withoutStatus = ({ reason, maybeSent, code, message }: SafeFetchError): SafeFetchError =>
  new SafeFetchError(reason, { maybeSent, code, message })

const responseIn = (error: SdkHttpError): SafeResponse => ({
  status: error.status,
  headers: new Headers(),
  body: Buffer.from(textIn(error)),
})

const textIn = ({ data: { text } }: SdkHttpError): string => (typeof text === 'string' ? text : '')

/** The site's words are looked for in a member `error`, where JSON-RPC has an object. */
function inPlainForm(response: SafeResponse): SafeResponse {
  const words = wordsIn(decodeUtf8(response.body) ?? '')
  return words === undefined ? response : { ...response, body: Buffer.from(JSON.stringify({ error: words })) }
}

/** Longer refusals are not searched. */
const maxSearched = 16 * 1024

/** The error of a JSON-RPC response. */
function errorIn(text: string): Record<string, unknown> | undefined {
  const parsed = text.length > maxSearched ? undefined : parseJson(text, { maxDepth: 20 })
  const error = parsed?.ok && isObject(parsed.value) ? parsed.value['error'] : undefined
  return isObject(error) ? error : undefined
}

function wordsIn(text: string): string | undefined {
  const message = errorIn(text)?.['message']
  return typeof message === 'string' ? message : undefined
}
