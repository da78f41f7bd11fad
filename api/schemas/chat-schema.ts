import * as v from 'valibot'
import { answerStatuses } from '../../src/chat/chat-answer.ts'
import { field, named, whole } from './documented.ts'
import { chatError, chatMetadata } from './chat-part.ts'
import { text, time } from './schemas.ts'

/** The longest message of a user, in characters. */
export const maxText = 100_000

const words = v.pipe(
  text(maxText, 0),
  v.check((said) => said.trim() !== '', 'must not be blank'),
)
const clientId = text(200, 0)

/** A message as this API has it. */
const plain = named(
  'ChatRequest',
  v.strictObject({
    text: v.optional(
      field(words, 'What the user says; without it, an earlier message is answered again', 'Which issues are open?'),
    ),
    messageId: v.optional(
      field(
        clientId,
        'The message that the new one replaces, or the answer that is to be given again',
        '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20',
      ),
    ),
    id: v.optional(field(clientId, 'The id under which the client knows the message', 'msg-1')),
    stream: v.optional(
      field(v.boolean('must be true or false'), 'Whether the answer is streamed; without it, the `Accept` header says'),
    ),
  }),
  'A message to a session',
)

/** Anything, because of most messages nothing is read. */
const uiMessage = named(
  'UiMessage',
  v.looseObject({
    id: v.optional(field(v.unknown(), 'Under which the page knows it', 'msg-1')),
    role: v.optional(field(v.unknown(), 'Who speaks', 'user')),
    parts: v.optional(field(v.unknown(), 'What is said', [{ type: 'text', text: 'Which issues are open?' }])),
    content: v.optional(field(v.unknown(), 'What is said, in older clients', 'Which issues are open?')),
  }),
  'A message as the page has it',
)

/** What a transport of the AI SDK sends. Of its history only the last message of the user is read. */
const transported = named(
  'UiChatRequest',
  v.looseObject({
    messages: field(
      v.pipe(v.array(uiMessage, 'must be a list'), v.minLength(1, 'must not be empty')),
      'The messages of the page; only the words of the last one of the user are read, and the ids before it, which say where it belongs',
    ),
    trigger: v.optional(
      named(
        'ChatTrigger',
        v.picklist(['submit-message', 'regenerate-message'], 'must be submit-message or regenerate-message'),
        'What the user has done',
        'submit-message',
      ),
    ),
    messageId: v.optional(
      field(v.nullable(clientId), 'The message that is replaced, or the answer that is given again', 'msg-1'),
    ),
  }),
  'What the chat transports of the AI SDK and of assistant-ui send',
)

/** Documented as the plain one, which has all that is read. */
export const chatRequest = v.union(
  [plain, transported],
  'must have "text" (and optionally "messageId", "id" and "stream"), or be an AI SDK transport request with "messages"',
)

type Transported = v.InferOutput<typeof transported>

export const isTransported = (body: v.InferOutput<typeof chatRequest>): body is Transported => 'messages' in body

const messagePart = named('UiMessagePart', v.record(v.string(), v.unknown()), "A part of the AI SDK's `UIMessage`", {
  type: 'text',
  text: 'Two issues are open.',
})

export const chatMessage = named(
  'ChatMessage',
  v.object({
    id: field(
      v.string(),
      'Of an answer: its id; of a message: the one that the client gave, unless a later one has it, or else ours',
      'msg-1',
    ),
    number: field(whole, 'Its place in the order in which messages and answers came', 1),
    role: named('ChatRole', v.picklist(['user', 'assistant']), 'Who speaks', 'user'),
    parentId: field(v.nullable(v.string()), 'The `id` of what it follows; null at the beginning', null),
    parts: field(
      v.array(messagePart),
      "Its contents, as parts of the AI SDK's `UIMessage`: `step-start`, `text`, `dynamic-tool` and `data-approval`",
    ),
    createdAt: time,
    status: v.optional(named('ChatStatus', v.picklist(answerStatuses), 'Where an answer is', 'completed')),
    metadata: v.optional(chatMetadata),
    error: v.optional(chatError),
  }),
  'A message or an answer',
)
