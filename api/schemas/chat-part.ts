import * as v from 'valibot'
import type { ChatPart } from '../../src/chat/parts.ts'
import { anyJson, field, named, whole } from './documented.ts'
import { idOf } from './example-ids.ts'
import { approvalForm } from './form-schema.ts'
import { errorCode } from './schemas.ts'

/** The parts of a streamed answer (`src/chat/parts.ts`), as clients read them. */

export const chatError = named(
  'ChatError',
  v.object({
    error: field(v.string(), 'Human-readable error message', 'The AI provider returned an error.'),
    code: field(errorCode, 'Machine-readable error code', 'MODEL_ERROR'),
    statusCode: field(whole, 'HTTP status', 502),
    retryAfter: v.exactOptional(field(whole, 'Seconds to wait before a retry, if known. Present only in streams.', 12)),
  }),
  'Error that ended an answer',
)

const usage = named(
  'ChatUsage',
  v.object({
    inputTokens: field(whole, 'Tokens read by the model', 610),
    cachedTokens: field(whole, "Part of `inputTokens` that came from the provider's cache", 512),
    outputTokens: field(whole, 'Tokens written by the model', 71),
  }),
  'Tokens used by an answer',
)

export const chatMetadata = named(
  'ChatMetadata',
  v.object({
    sessionId: idOf('session', 'Id of the chat session'),
    model: field(v.string(), 'AI model that answers', 'demo'),
    usage: v.exactOptional(usage),
    credits: v.exactOptional(field(whole, 'Credits charged for the answer', 1)),
    costUsd: v.exactOptional(
      field(v.nullable(v.number()), 'Cost in USD. Null if the price of a step is unknown.', 0.0041),
    ),
  }),
  'Metadata of an answer. The first part has only `sessionId` and `model`.',
)

const approval = named(
  'ChatApproval',
  v.object({
    approvalId: idOf('approval', 'Id of the approval, for `POST /approvals/{approvalId}`'),
    toolCallId: idOf('call', 'Id of the waiting tool call'),
    site: field(v.string(), 'Origin of the site', 'https://tracker.example.com'),
    tool: field(v.string(), 'Name of the tool', 'delete_issue'),
    input: field(anyJson, 'Arguments of the call', { id: 17 }),
    argumentsHash: field(
      v.string(),
      'SHA-256 of the arguments as JSON text, in hex',
      'ba5952a08cb1775799511a8cf1acb9e6166217b623c4bb7e8e88e2f88a7c3257',
    ),
    expiresAt: field(v.string(), 'When the request expires', '2026-11-24T14:15:03.120Z'),
    form: v.exactOptional(approvalForm),
  }),
  'Tool call waiting for approval',
)

const finish = named(
  'ChatFinish',
  v.picklist(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']),
  'Why the answer ended. `tool-calls`: a call is waiting for approval. The answer continues after the decision.',
  'stop',
)

const textId = { id: field(v.string(), 'Id of the text. A step has at most one text.', 'step-1') }
const ofCall = {
  toolCallId: idOf('call', 'Id of the tool call'),
  dynamic: field(v.literal(true), 'Always true: the page does not know the tool in advance'),
}

export const meaningsOfParts = {
  start: 'The answer starts. Use the `messageId` to stop the answer.',
  'start-step': 'A model step starts',
  'finish-step': 'The step and its tool calls are finished',
  'text-start': 'The text of a step starts',
  'text-delta': 'The text continues',
  'text-end': 'The text is complete',
  'tool-input-available': 'The model calls a tool',
  'tool-output-available': 'The tool call succeeded',
  'tool-output-error': 'The tool call failed or was not made. The model sees the error.',
  'data-approval': 'A tool call is waiting for approval. A `finish` part with `tool-calls` follows.',
  'data-error': 'Error, in the form of an error response. An `error` part follows.',
  error: 'The answer failed. This is the last part.',
  abort: 'The answer was stopped. This is the last part.',
  finish: 'The answer is complete, or is waiting for approval. This is the last part.',
} satisfies Record<ChatPart['type'], string>

type Type = ChatPart['type']
const pascal = (type: string): string => type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

function part<const T extends Type, const Members extends v.ObjectEntries>(type: T, members: Members) {
  const meaning = meaningsOfParts[type]
  const own = v.object({ type: field(v.literal(type), meaning), ...members })
  return named(`Chat${pascal(type)}Part`, own, meaning)
}

const parts = [
  part('start', {
    messageId: idOf('answer', 'Id of the answer'),
    messageMetadata: chatMetadata,
  }),
  part('start-step', {}),
  part('finish-step', {}),
  part('text-start', textId),
  part('text-delta', { ...textId, delta: field(v.string(), 'Next part of the text', 'Two issues are open.') }),
  part('text-end', textId),
  part('tool-input-available', {
    ...ofCall,
    toolName: field(v.string(), 'Name of the tool', 'search_issues'),
    input: field(anyJson, 'Arguments of the call', { query: 'export' }),
  }),
  part('tool-output-available', {
    ...ofCall,
    output: field(anyJson, 'Response from the site', [{ id: 17, title: 'The export hangs at 99 %' }]),
  }),
  part('tool-output-error', {
    ...ofCall,
    errorText: field(v.string(), 'Error message that the model sees', 'The site answered with status 500.'),
  }),
  part('data-approval', {
    id: idOf('approval', 'Id of the approval'),
    data: approval,
  }),
  part('data-error', {
    data: chatError,
    transient: field(v.literal(true), 'Always true: clients do not store this part'),
  }),
  part('error', { errorText: field(v.string(), 'Human-readable error message', 'The AI provider returned an error.') }),
  part('abort', {}),
  part('finish', { finishReason: finish, messageMetadata: chatMetadata }),
] as const

export const chatPart = named(
  'ChatPart',
  v.variant('type', parts),
  'Part of a streamed answer: the `data` of an event. `type` determines the other members.',
)

type Described = v.InferOutput<typeof chatPart>
/** The type with every optional member required. */
type Full<T> = T extends object ? { [K in keyof T]-?: Full<T[K]> } : T
type Same<One, Other> = [One, Other] extends [Other, One] ? true : never
/** Does not compile if a part is written but not described, or described but never written. */
const isWhole: [Same<ChatPart, Described>, Same<Full<ChatPart>, Full<Described>>] = [true, true]
void isWhole
