import type * as v from 'valibot'
import type { ChatRequest } from '../../src/chat/place.ts'
import { CodedError } from '../../src/errors.ts'
import type { Unread } from '../../src/chat/outline.ts'
import { isStorable } from '../../src/text.ts'
import { isTransported, maxText, type chatRequest } from './chat-schema.ts'

type Body = v.InferOutput<typeof chatRequest>
type Message = Extract<Body, { messages: unknown }>['messages'][number]

/** The text of a message: its parts, or `content` of older clients. */
function wordsOf({ parts, content }: Message): string {
  const [text] = (parts ?? []) as { text: string }[]
  return text?.text ?? (typeof content === 'string' ? content : '')
}

/**
 * Reads a request from its outline. Only the last user message of a transport's history counts, and the ids that place
 * it.
 */
export function readChatRequest(body: Body, requestKey: string | undefined): ChatRequest {
  return { ...readBody(body), requestKey }
}

function readBody(body: Body): ChatRequest {
  if (!isTransported(body)) {
    const { text, messageId } = body
    return text === undefined
      ? { kind: 'again', messageId, before: [] }
      : { kind: 'message', text, clientId: idIn(body.id, 'id'), messageId, before: [] }
  }
  const { messages, trigger } = body
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const last = messages[at]
  const messageId = body.messageId ?? undefined
  const idsOf = (of: typeof messages) => of.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  if (trigger === 'regenerate-message') return { kind: 'again', messageId, before: idsOf(messages) }
  const { unread, path = 'messages' } = (last ?? {}) as { unread?: Unread; path?: string }
  if (unread) throw refused(unread.path, fileSentence(unread))
  const text = last ? wordsOf(last) : ''
  const problem = problemOf(text)
  if (problem !== undefined) throw refused(path, problem)
  return {
    kind: 'message',
    text,
    clientId: idIn(last?.id, `${path}.id`),
    messageId,
    before: idsOf(messages.slice(0, at)),
  }
}

/** An empty id refers to nothing. An id that cannot be stored would not be found when the message is repeated. */
function idIn(id: unknown, path: string): string | undefined {
  if (typeof id !== 'string' || id === '') return undefined
  if (id.length <= 200 && isStorable(id)) return id
  throw refused(path, 'A message id must have at most 200 characters and no U+0000 or broken Unicode.')
}

/** Why the text of a message is invalid. */
function problemOf(text: string): string | undefined {
  if (text.trim() === '') return 'The last user message has no text.'
  if (text.length > maxText) return `The last user message exceeds the limit of ${maxText} characters.`
  const halved = 'The last user message contains U+0000 or broken Unicode.'
  return isStorable(text) ? undefined : halved
}

const fileSentence = ({ kind }: Unread): string =>
  `The message has a part of type ${JSON.stringify(kind)}, but only text is supported. Remove that part.`

const refused = (path: string, message: string): CodedError =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }] })
