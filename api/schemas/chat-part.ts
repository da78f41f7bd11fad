import * as v from 'valibot'
import type { ChatPart } from '../../src/chat/parts.ts'
import { anyJson, field, named, whole } from './documented.ts'
import { errorCode, id } from './schemas.ts'

/** What is streamed of an answer (`src/chat/parts.ts`), as clients read it. */

export const chatError = named(
  'ChatError',
  v.object({
    error: field(v.string(), 'What went wrong, for people', 'The AI provider returned an error.'),
    code: field(errorCode, 'What went wrong, for programs', 'MODEL_ERROR'),
    statusCode: field(whole, 'The HTTP status', 502),
    retryAfter: v.exactOptional(
      field(whole, 'Seconds after which it may succeed; only in a stream, if it is known', 12),
    ),
  }),
  'Why there is no answer',
)

const usage = named(
  'ChatUsage',
  v.object({
    inputTokens: field(whole, 'Tokens that the model read', 610),
    cachedTokens: field(whole, 'How many of them came from its cache', 512),
    outputTokens: field(whole, 'Tokens that the model wrote', 71),
  }),
  'What an answer has used',
)

export const chatMetadata = named(
  'ChatMetadata',
  v.object({
    sessionId: id,
    model: field(v.string(), 'The model that answers', 'demo'),
    usage: v.exactOptional(usage),
    credits: v.exactOptional(field(whole, 'What the answer has cost', 1)),
    costUsd: v.exactOptional(
      field(v.nullable(v.number()), 'The same in USD; null if the price of one of its steps is unknown', 0.0041),
    ),
  }),
  'What is known of an answer; at its beginning only the session and the model',
)

const approval = named(
  'ChatApproval',
  v.object({
    approvalId: field(v.string(), 'Decided by `POST /approvals/{approvalId}`', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18'),
    toolCallId: field(v.string(), 'The call that waits', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12'),
    site: field(v.string(), 'The origin of the site', 'https://tracker.example.com'),
    tool: field(v.string(), 'The name of the tool', 'issues.deleteIssue'),
    input: field(anyJson, 'The arguments of the call', { id: 17 }),
    argumentsHash: field(
      v.string(),
      'SHA-256 of the JSON text of the arguments, in hex',
      'ba5952a08cb1775799511a8cf1acb9e6166217b623c4bb7e8e88e2f88a7c3257',
    ),
    expiresAt: field(v.string(), 'Until when it can be decided', '2026-11-24T14:15:03.120Z'),
  }),
  'A call that somebody has to approve',
)

const finish = named(
  'ChatFinish',
  v.picklist(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']),
  'Why the answer has ended. tool-calls: a call waits for approval, and the answer goes on once it is decided',
  'stop',
)

const textId = { id: field(v.string(), 'The text, of which there is at most one in a step', 'step-1') }
const ofCall = {
  toolCallId: field(v.string(), 'The tool call', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12'),
  dynamic: field(v.literal(true), 'The page does not know the tool'),
}

/** What each part says. */
export const meaningsOfParts = {
  start: 'The answer begins; its `messageId` is what stops it',
  'start-step': 'A step of the model begins',
  'finish-step': 'The step and its tool calls are over',
  'text-start': 'A text begins',
  'text-delta': 'The text goes on',
  'text-end': 'The text is complete',
  'tool-input-available': 'The model calls a tool',
  'tool-output-available': 'The call has succeeded',
  'tool-output-error': 'The call has failed, or was not made; the model is told so',
  'data-approval': 'A call waits for approval. `finish` with `tool-calls` follows',
  'data-error': 'The body of the error reply that it would have been before the first part. `error` follows',
  error: 'The answer has failed. The last part',
  abort: 'Somebody has stopped the answer. The last part',
  finish: 'The answer is complete, or waits for approval. The last part',
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
    messageId: field(v.string(), 'The id of the answer', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20'),
    messageMetadata: chatMetadata,
  }),
  part('start-step', {}),
  part('finish-step', {}),
  part('text-start', textId),
  part('text-delta', { ...textId, delta: field(v.string(), 'What is added to it', 'Two issues are open.') }),
  part('text-end', textId),
  part('tool-input-available', {
    ...ofCall,
    toolName: field(v.string(), 'The name of the tool', 'search_issues'),
    input: field(anyJson, 'The arguments of the call', { query: 'export' }),
  }),
  part('tool-output-available', {
    ...ofCall,
    output: field(anyJson, 'What the site has answered', [{ id: 17, title: 'The export hangs at 99 %' }]),
  }),
  part('tool-output-error', {
    ...ofCall,
    errorText: field(v.string(), 'Why, as the model is told', 'The site answered with status 500.'),
  }),
  part('data-approval', {
    id: field(v.string(), 'The approval', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18'),
    data: approval,
  }),
  part('data-error', { data: chatError, transient: field(v.literal(true), 'Pages do not keep it') }),
  part('error', { errorText: field(v.string(), 'What went wrong, for people', 'The AI provider returned an error.') }),
  part('abort', {}),
  part('finish', { finishReason: finish, messageMetadata: chatMetadata }),
] as const

export const chatPart = named(
  'ChatPart',
  v.variant('type', parts),
  'One part of a streamed answer: the `data` of an event. Its `type` says what else it has',
)

type Described = v.InferOutput<typeof chatPart>
/** With all that may be absent. */
type Full<T> = T extends object ? { [K in keyof T]-?: Full<T[K]> } : T
type Same<One, Other> = [One, Other] extends [Other, One] ? true : never
/** What is written and not described, or described and never written, does not compile. */
const isWhole: [Same<ChatPart, Described>, Same<Full<ChatPart>, Full<Described>>] = [true, true]
void isWhole
