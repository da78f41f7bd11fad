import * as v from 'valibot'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { readChatRequest } from './schemas/chat-request.ts'
import { route } from './route/route.ts'
import { sessionProof } from './route/session-proof.ts'
import { chatMessage, chatRequest, isTransported } from './schemas/chat-schema.ts'
import { text } from './schemas/schemas.ts'
import { field, named, wholeInQuery } from './schemas/documented.ts'
import { streamChat } from './streams/chat-stream.ts'

/** Advice for pages that send whole conversations. */
const sendLess =
  "Send only the last message. In the AI SDK, the transport's `prepareSendMessagesRequest` controls what is sent."

const shared = { tag: 'chat', access: 'anyone', proof: sessionProof } as const

export const sendChatMessage = route({
  ...shared,
  name: 'sendChatMessage',
  audit: { not: 'The chat itself records this.' },
  method: 'post',
  path: '/chat/messages',
  summary: 'Send a chat message',
  description:
    "Returns the full answer as JSON, or streams it if the request comes from an AI SDK transport (UI message stream v1), `stream` is true, or `Accept` prefers `text/event-stream`. A session's messages are answered in order, within 90 seconds each, not counting time spent waiting for earlier answers or for approvals. If the client disconnects, the answer ends with `STREAM_ABORTED`, and only its tool calls are kept, unless `onDisconnect` is `continue`. Sending the same message `id` again returns the original answer. Only text is accepted, up to 1 MiB. See [Put a chat on a web page](/docs/how-to/chat-page).",
  headers: {
    'Idempotency-Key': 'Key for this request. A repeated request with the same key returns the original answer.',
  },
  body: chatRequest,
  rawBody: { maxBytes: () => 1024 * 1024, advice: sendLess, outline: 'outlineOfChat' },
  status: 200,
  response: chatMessage,
  chatStream: true,
  codes: ['FEATURE_LIMIT_REACHED', 'NO_CREDITS', 'MODEL_ERROR', 'CHAT_TIMEOUT', 'STREAM_ABORTED'],
  async handle({ services, proven, body, request }) {
    const wantsStream = isTransported(body) ? !request.asksForJson : (body.stream ?? request.asksForStream)
    const wanted = readChatRequest(body, idempotencyKeyOf(request.header))
    const send = () => services.chat.send(proven.session, wanted)
    return wantsStream ? streamChat(send) : (await send()).whole(request.gone())
  },
})

const after = wholeInQuery({
  description: 'Number of the last message you have',
  pattern: /^\d{1,9}$/,
  message: 'must be the number of a message',
  min: 0,
  max: 999_999_999,
  fallback: 0,
})
const limit = wholeInQuery({
  description: 'Maximum number of messages to return',
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
    'current: only the branch of the last message · all: also messages that were replaced',
    'current',
  ),
  'current',
)

export const listChatMessages = route({
  ...shared,
  name: 'listChatMessages',
  method: 'get',
  path: '/chat/messages',
  summary: 'List chat messages',
  description:
    'Oldest first. To continue reading while `more` is true, set `after` to the last number you have. A page ends early if ' +
    'its messages are long.',
  query: v.strictObject({ after, limit, branch }),
  status: 200,
  response: named(
    'ChatMessagePage',
    v.object({
      items: field(v.array(chatMessage), 'Messages and answers, in order'),
      more: field(v.boolean(), 'Whether there are later messages'),
    }),
    'Page of a conversation',
  ),
  handle: ({ services, proven, query }) => services.chat.history.list(proven.session.id, query),
})

export const resumeChatStream = route({
  ...shared,
  name: 'resumeChatStream',
  method: 'get',
  path: '/chat/messages/{chatId}/stream',
  summary: 'Resume an answer stream',
  description:
    'Streams the answer in progress from its first part, if the answer continued after the reader disconnected (`onDisconnect: continue`) or after an approval. Responds with 204 if no answer is in progress. The session token identifies the session, so `chatId` can be anything.',
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
  audit: { not: 'The chat itself records this.' },
  method: 'delete',
  path: '/chat/messages/{chatId}/stream',
  summary: 'Stop an answer',
  description:
    'Set `messageId` or `chatId` to the id of the answer or of the message that it answers. If that answer has already ended, nothing changes. With any other id, the answer in progress stops, or the request fails with `NOT_FOUND` if there is none. The text so far is kept.',
  query: v.strictObject({
    messageId: v.optional(
      field(text(200), 'Id of the answer, if `chatId` identifies the chat', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a20'),
    ),
  }),
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, proven, params, query }) => services.chat.stop(proven.session, query.messageId ?? params.chatId),
})
