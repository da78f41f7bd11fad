import * as v from 'valibot'
import { answerStatuses } from '../../src/chat/chat-answer.ts'
import { field, named, whole } from './documented.ts'
import { errorCode, id, time } from './schemas.ts'

/** The longest message of a user, in characters. */
const maxText = 100_000

const words = v.pipe(
  v.string('must be a string'),
  v.check((text) => text.trim() !== '', 'must say something'),
  v.maxLength(maxText, `must have at most ${maxText} characters`),
)
const clientId = v.pipe(v.string('must be a string'), v.maxLength(200, 'must have at most 200 characters'))

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

/** What a transport of the AI SDK sends. Of its history only the last message of the user is read. */
const transported = named(
  'UiChatRequest',
  v.looseObject({
    messages: field(
      v.pipe(
        v.array(
          v.looseObject({
            id: v.optional(v.unknown()),
            role: v.unknown(),
            parts: v.optional(v.unknown()),
            content: v.optional(v.unknown()),
          }),
          'must be a list',
        ),
        v.minLength(1, 'must not be empty'),
      ),
      'The messages of the page; only the words of the last one of the user are read, and the ids before it, which say where it belongs',
    ),
    trigger: v.optional(
      field(v.picklist(['submit-message', 'regenerate-message']), 'What the user has done', 'submit-message'),
    ),
    messageId: v.optional(
      v.nullable(field(clientId, 'The message that is replaced, or the answer that is given again', 'msg-1')),
    ),
  }),
  'What the chat transports of the AI SDK and of assistant-ui send',
)

export const chatRequest = v.union([transported, plain])

type Transported = v.InferOutput<typeof transported>

export const isTransported = (body: v.InferOutput<typeof chatRequest>): body is Transported => 'messages' in body

const errorData = named(
  'ChatError',
  v.object({
    error: field(v.string(), 'What went wrong, for people', 'The AI provider returned an error.'),
    code: errorCode,
    statusCode: field(whole, 'The HTTP status', 502),
  }),
  'Why there is no answer',
)

const metadata = named(
  'ChatMetadata',
  v.object({
    sessionId: id,
    model: field(v.string(), 'The model that answered', 'demo'),
    usage: v.optional(
      named(
        'ChatUsage',
        v.object({
          inputTokens: field(whole, 'Tokens that the model read', 610),
          cachedTokens: field(whole, 'How many of them came from its cache', 512),
          outputTokens: field(whole, 'Tokens that the model wrote', 71),
        }),
        'What an answer has used',
      ),
    ),
    credits: v.optional(field(whole, 'What the answer has cost', 1)),
    costUsd: v.optional(field(v.number(), 'The same in USD, as far as prices are known', 0.0041)),
  }),
  'What is known of an answer',
)

export const chatMessage = named(
  'ChatMessage',
  v.object({
    id: field(v.string(), 'Of an answer: its id; of a message: the one that the client gave, or else ours', 'msg-1'),
    number: field(whole, 'Its place in the order in which messages and answers came', 1),
    role: named('ChatRole', v.picklist(['user', 'assistant']), 'Who speaks', 'user'),
    parentId: field(v.nullable(v.string()), 'What it follows; null at the beginning', null),
    parts: field(
      v.array(v.record(v.string(), v.unknown())),
      "Its contents, as parts of the AI SDK's `UIMessage`: `step-start`, `text`, `dynamic-tool` and `data-approval`",
    ),
    createdAt: time,
    status: v.optional(named('ChatStatus', v.picklist(answerStatuses), 'Where an answer is', 'completed')),
    metadata: v.optional(metadata),
    error: v.optional(errorData),
  }),
  'A message or an answer',
)
