import * as v from 'valibot'
import { answerStatuses } from '../../src/chat/chat-answer.ts'
import { field, named, whole } from './documented.ts'
import { chatError, chatMetadata } from './chat-part.ts'
import { exampleIds } from './example-ids.ts'
import { createdAt, text } from './schemas.ts'

/** The longest user message, in characters. */
export const maxText = 100_000

const words = v.pipe(
  text(maxText, 0),
  v.check((said) => said.trim() !== '', 'must not be blank'),
)
const clientId = text(200, 0)

/** A message in this API's own format. */
const plain = named(
  'ChatRequest',
  v.strictObject({
    text: v.optional(
      field(
        words,
        'Message from the user. Without this message, an earlier message is answered again.',
        'Which issues are open?',
      ),
    ),
    messageId: v.optional(field(clientId, 'Message to replace, or answer to regenerate', exampleIds.answer)),
    id: v.optional(field(clientId, 'Id that the client assigns to the message', 'msg-1')),
    stream: v.optional(
      field(
        v.boolean('must be true or false'),
        'Whether to stream the answer. By default, the `Accept` header decides.',
      ),
    ),
  }),
  'Message to a session',
)

/** Any value, because most messages of a history are not read. */
const uiMessage = named(
  'UiMessage',
  v.looseObject({
    id: v.optional(field(v.unknown(), 'Id that the page assigned to the message', 'msg-1')),
    role: v.optional(field(v.unknown(), 'Author of the message', 'user')),
    parts: v.optional(field(v.unknown(), 'Parts of the message', [{ type: 'text', text: 'Which issues are open?' }])),
    content: v.optional(field(v.unknown(), 'Text of the message, in older clients', 'Which issues are open?')),
  }),
  "Message in the page's format",
)

/** The request of an AI SDK transport. Of its history, only the last user message is read. */
const transported = named(
  'UiChatRequest',
  v.looseObject({
    messages: field(
      v.pipe(v.array(uiMessage, 'must be a list'), v.minLength(1, 'must not be empty')),
      'Messages from the page. Only the text of the last user message is used. The ids of the earlier messages determine its place in the conversation.',
    ),
    trigger: v.optional(
      named(
        'ChatTrigger',
        v.picklist(['submit-message', 'regenerate-message'], 'must be submit-message or regenerate-message'),
        'Action taken by the user',
        'submit-message',
      ),
    ),
    messageId: v.optional(field(v.nullable(clientId), 'Message to replace, or answer to regenerate', 'msg-1')),
  }),
  'Request from the chat transports of the AI SDK and assistant-ui',
)

/** Documented as the plain format, which has every member that is read. */
export const chatRequest = v.union(
  [plain, transported],
  'must have "text" (and optionally "messageId", "id" and "stream"), or be an AI SDK transport request with "messages"',
)

type Transported = v.InferOutput<typeof transported>

export const isTransported = (body: v.InferOutput<typeof chatRequest>): body is Transported => 'messages' in body

const messagePart = named('UiMessagePart', v.record(v.string(), v.unknown()), 'Part of a `UIMessage` of the AI SDK', {
  type: 'text',
  text: 'Two issues are open.',
})

export const chatMessage = named(
  'ChatMessage',
  v.object({
    id: field(
      v.string(),
      'Id of the answer or message. A message keeps the id that the client assigned, unless a later message has the same id.',
      'msg-1',
    ),
    number: field(whole, 'Position in the order of arrival', 1),
    role: named('ChatRole', v.picklist(['user', 'assistant']), 'Author of a message', 'user'),
    parentId: field(
      v.nullable(v.string()),
      '`id` of the message or answer that precedes this one. Null for the first one.',
      null,
    ),
    parts: field(
      v.array(messagePart),
      'Content, as parts of a `UIMessage` of the AI SDK: `step-start`, `text`, `dynamic-tool` and `data-approval`',
    ),
    createdAt,
    status: v.optional(named('ChatStatus', v.picklist(answerStatuses), 'Status of an answer', 'completed')),
    metadata: v.optional(chatMetadata),
    error: v.optional(chatError),
  }),
  'Message or answer',
)
