import * as v from 'valibot'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { readChatRequest } from './schemas/chat-request.ts'
import { route } from './route/route.ts'
import { sessionProof } from './route/session-proof.ts'
import { chatMessage, chatRequest, isTransported } from './schemas/chat-schema.ts'
import { text } from './schemas/schemas.ts'
import { field, named, wholeInQuery } from './schemas/documented.ts'
import { streamChat } from './streams/chat-stream.ts'

/** For pages that send whole conversations. */
const sendLess =
  'Send the last message alone: in the AI SDK, `prepareSendMessagesRequest` of the transport chooses what is sent.'

const shared = { tag: 'chat', access: 'anyone', proof: sessionProof } as const

export const sendChatMessage = route({
  ...shared,
  name: 'sendChatMessage',
  audit: { not: 'The chat is its own record.' },
  method: 'post',
  path: '/chat/messages',
  summary: 'Send a message and get its answer',
  description:
    'The answer comes whole as JSON, or as the UI message stream of the AI SDK (`x-vercel-ai-ui-message-stream: v1`): if ' +
    'the request is that of an AI SDK transport, if `stream` is true, or if `Accept` prefers `text/event-stream`. Messages ' +
    'of one session are answered in order. An answer may take 90 seconds; waiting for its turn and for approvals does not count. ' +
    'Whoever leaves before the end finds it as STREAM_ABORTED among the messages, with the calls that were made. A message that is sent again under its ' +
    '`id`, or a request under its `Idempotency-Key`, gets the answer of the first one. Files are refused. The body may have 1 MiB. Of a history, the last 1,000 messages are looked at.',
  headers: { 'Idempotency-Key': 'Names the request; under one key, a session has one answer' },
  body: chatRequest,
  rawBody: { maxBytes: () => 1024 * 1024, advice: sendLess, outline: 'outlineOfChat' },
  status: 200,
  response: chatMessage,
  chatStream: true,
  codes: ['FEATURE_LIMIT_REACHED', 'NO_CREDITS', 'MODEL_ERROR', 'CHAT_TIMEOUT'],
  async handle({ services, proven, body, request }) {
    const wantsStream = isTransported(body) ? !request.asksForJson : (body.stream ?? request.asksForStream)
    const wanted = readChatRequest(body, idempotencyKeyOf(request.header))
    const send = () => services.chat.send(proven.session, wanted)
    return wantsStream ? streamChat(send) : (await send()).whole(request.gone())
  },
})

const after = wholeInQuery({
  description: 'The number of the last message that you have',
  pattern: /^\d{1,9}$/,
  message: 'must be the number of a message',
  min: 0,
  max: 999_999_999,
  fallback: 0,
})
const limit = wholeInQuery({
  description: 'How many messages are returned at most',
  pattern: /^\d{1,3}$/,
  message: 'must be a number from 1 to 100',
  min: 1,
  max: 100,
  fallback: 50,
})
const branch = v.optional(
  named(
    'ChatBranch',
    v.picklist(['current', 'all'], 'must be current or all'),
    'current: what leads to the last message · all: also what was replaced',
    'current',
  ),
  'current',
)

export const listChatMessages = route({
  ...shared,
  name: 'listChatMessages',
  method: 'get',
  path: '/chat/messages',
  summary: 'Read what was said in the session',
  description:
    'Oldest first. A page ends early if what was said is long. To read on while there is `more`, set `after` to the last number you have.',
  query: v.strictObject({ after, limit, branch }),
  status: 200,
  response: named(
    'ChatMessagePage',
    v.object({
      items: field(v.array(chatMessage), 'Messages and answers in the order in which they came'),
      more: field(v.boolean(), 'Whether there are later ones'),
    }),
    'A part of a conversation',
  ),
  handle: ({ services, proven, query }) => services.chat.history.list(proven.session.id, query),
})

export const resumeChatStream = route({
  ...shared,
  name: 'resumeChatStream',
  method: 'get',
  path: '/chat/messages/{chatId}/stream',
  summary: 'Read the answer under way again',
  description:
    'Streams the answer that goes on without its reader (`onDisconnect: continue`, or after an approval), from its first ' +
    'part. 204 if there is none. The session is named by its token; ' +
    '`chatId` may be anything.',
  status: 204,
  chatStream: true,
  codes: ['NO_CREDITS', 'MODEL_ERROR', 'CHAT_TIMEOUT'],
  async handle({ services, proven }) {
    const answer = await services.chat.resume(proven.session)
    return answer && streamChat(() => answer)
  },
})

export const stopChatStream = route({
  ...shared,
  name: 'stopChatStream',
  audit: { not: 'The chat is its own record.' },
  method: 'delete',
  path: '/chat/messages/{chatId}/stream',
  summary: 'Stop an answer',
  description:
    'The answer is named by `messageId`, or else by `chatId`, by its own id or that of its message: one that is over stays as it is, and a late request ends no newer ' +
    'one. Any other id stands for the chat: the answer under way is stopped, and there has to be one. What it has said so far is kept.',
  query: v.strictObject({
    messageId: v.optional(
      field(text(200), 'The id of the answer, if `chatId` names the chat', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20'),
    ),
  }),
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, proven, params, query }) => services.chat.stop(proven.session, query.messageId ?? params.chatId),
})
