import { formOf, type Approval } from '../approvals/approval.ts'
import { parseJson } from '../json.ts'
import { errorBody, type CodedError, type ErrorCode } from '../errors.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import type { ChatAnswer } from './chat-answer.ts'

/**
 * A part of a streamed answer: the AI SDK's UI message stream, as far as its clients of the versions 5, 6 and 7 take it.
 * They know a closed list of types, so what is ours goes out as `data-…`. Tools are unknown to the page: `dynamic`.
 */
export type ChatPart =
  | { type: 'start'; messageId: string; messageMetadata: Metadata }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; dynamic: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  | ReturnType<typeof approvalPart>
  | { type: 'data-error'; data: ErrorData; transient: true }
  | { type: 'error'; errorText: string }
  | { type: 'abort' }
  | { type: 'finish'; finishReason: Finish; messageMetadata: Metadata }

/** Reasons that every version of the clients knows. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** What is known of an answer besides its content. */
export interface Metadata {
  sessionId: string
  model: string
  usage?: { inputTokens: number; cachedTokens: number; outputTokens: number }
  credits?: number
  costUsd?: number | null
}

/** The body of an error reply, for an error that comes after the first part. */
export interface ErrorData {
  error: string
  code: ErrorCode
  statusCode: number
  retryAfter?: number
}

/** Begins every stream of an answer. */
export const startPart = ({ id, sessionId, model }: Pick<ChatAnswer, 'id' | 'sessionId' | 'model'>): ChatPart => ({
  type: 'start',
  messageId: id,
  messageMetadata: { sessionId, model },
})

/** The parts that a text begins and ends with stand around its deltas. */
export const textId = (step: number, restarts = 0): string =>
  restarts === 0 ? `step-${step}` : `step-${step}-${restarts}`

export function callPart(call: ToolCall): ChatPart {
  return {
    type: 'tool-input-available',
    toolCallId: call.id,
    toolName: call.tool ?? call.name,
    input: valueOf(call.arguments),
    dynamic: true,
  }
}

/** What a call that is over has come to. */
export const outcomePart = ({ id: toolCallId, status, result }: ToolCall): ChatPart =>
  status === 'succeeded'
    ? { type: 'tool-output-available', toolCallId, output: valueOf(result ?? ''), dynamic: true }
    : { type: 'tool-output-error', toolCallId, errorText: result ?? 'The call failed.', dynamic: true }

/** A call that somebody has to approve, in streams and in histories. */
export const approvalPart = (approval: Approval) => {
  const { id, callId, siteOrigin, tool, arguments: args, argumentsHash, expiresAt } = approval
  const form = formOf(approval)
  return {
    type: 'data-approval' as const,
    id,
    data: {
      approvalId: id,
      toolCallId: callId,
      site: siteOrigin,
      tool,
      input: valueOf(args),
      argumentsHash,
      expiresAt: expiresAt.toISOString(),
      ...(form && { form }),
    },
  }
}

/** What an error ends a stream with: its body as data, and the sentence that every client shows. */
export function failureParts(failure: CodedError): ChatPart[] {
  const { error, code, statusCode } = errorBody(failure)
  const { retryAfter } = failure
  return [
    {
      type: 'data-error',
      data: { error, code, statusCode, ...(retryAfter !== undefined && { retryAfter }) },
      transient: true,
    },
    { type: 'error', errorText: error },
  ]
}

/** The value of a JSON text; a text that is none, or is nested too deeply to be written again, is the value itself. */
export function valueOf(text: string): unknown {
  const parsed = parseJson(text)
  return parsed.ok ? parsed.value : text
}
