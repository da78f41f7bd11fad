import { CodedError } from '../errors.ts'
import { JsonText } from '../json-text.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { Sent } from './sender.ts'
import { statusAfter, type DirectToolCall } from './tool-call.ts'
import { unreadResult } from './unread-result.ts'
import { reasonOf } from './unsent-reason.ts'

export interface DirectResult {
  callId: string
  result: JsonText
}

/** Says that only this process knew the outcome of a call. */
export const unrecorded =
  'The call was sent, but its outcome could not be recorded. Check the outcome at the site before you retry.'

type Failed = Pick<DirectToolCall, 'id' | 'status' | 'httpStatus'>

/**
 * The error of a call without a result. It always names the call. `outcome` is `unknown` if the site may have acted,
 * and `succeeded` if only the result was unreadable. Then the code is never SITE_UNAVAILABLE, which would invite a
 * repeat.
 */
export function callError(
  code: 'SITE_UNAVAILABLE' | 'TOOL_EXECUTION_ERROR' | 'OUTGOING_RATE_LIMITED' | 'PERMISSION_DENIED',
  message: string,
  { id, status, httpStatus }: Failed,
  { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {},
): CodedError {
  const outcome = status === 'started' || status === 'planned' ? 'unknown' : status
  const facts = { callId: id, outcome, ...(httpStatus !== null && { siteStatus: httpStatus }) }
  const shownCode = outcome === 'failed' ? code : 'TOOL_EXECUTION_ERROR'
  return new CodedError(shownCode, { message, facts, cause, ...(retryAfter !== undefined && { retryAfter }) })
}

/**
 * Whether a failed call frees its key: the site certainly did nothing, or a repeat does no harm. Then the same request
 * may be retried under the same key.
 */
export const freesKey = (status: DirectToolCall['status'], effect: DirectToolCall['effect'], outcome: CallOutcome) =>
  status === 'failed' && (effect === 'read' || ('certain' in outcome && outcome.certain))

/** The answer to a repeated request, from the call's row (docs/understand/effects.md, "What a response proves"). */
export function answerOf(call: DirectToolCall): DirectResult {
  if (call.status === 'succeeded' && call.result !== null) return { callId: call.id, result: new JsonText(call.result) }
  if (call.status === 'succeeded') throw callError('TOOL_EXECUTION_ERROR', unreadResult, call)
  const pending = `The original request with this key is still in progress. Check it with GET /vault/{entryId}/calls/${call.id}.`
  const isRetryable = call.idempotencyKey === null && call.httpStatus === null
  throw callError(isRetryable ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR', call.result ?? pending, call)
}

/** The error of a call that was not successful: of its last attempt, if there was one. */
export function errorAfter(call: Attempted, sent: Exclude<Sent, { kind: 'dropped' }>, now: Date): CodedError {
  if (sent.kind === 'answered' || sent.kind === 'again') {
    const { outcome } = sent
    const { httpStatus } = outcome
    const code = outcome.kind === 'unavailable' ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR'
    return callError(code, outcome.text, { id: call.id, status: statusAfter(call, outcome), httpStatus })
  }
  const { code, message, retryAfter } = reasonOf(sent, now)
  // Of a call that was over the host's limit, there is no row.
  if (code === 'OUTGOING_RATE_LIMITED' && call.attempts === 0) return new CodedError(code, { message, retryAfter })
  return callError(code, message, { id: call.id, status: 'failed', httpStatus: null }, { retryAfter })
}

type Attempted = Pick<DirectToolCall, 'id' | 'effect' | 'attempts'>
