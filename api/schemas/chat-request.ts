import type * as v from 'valibot'
import type { ChatRequest } from '../../src/chat/place.ts'
import { CodedError } from '../../src/errors.ts'
import { isStorable } from '../../src/json.ts'
import { isTransported, maxText, type chatRequest } from './chat-schema.ts'

type Body = v.InferOutput<typeof chatRequest>
type Message = Extract<Body, { messages: unknown }>['messages'][number]

/** The words of a message: its text, or what older clients call its content. */
function wordsOf({ parts, content }: Message): string {
  const [text] = (parts ?? []) as { text: string }[]
  return text?.text ?? (typeof content === 'string' ? content : '')
}

/**
 * What a client asks for, of the outline of its request. Of a transport's history, only the last message of the user
 * counts, and where it stands.
 */
export function readChatRequest(body: Body): ChatRequest {
  if (!isTransported(body)) {
    const { text, messageId, id: clientId } = body
    return text === undefined
      ? { kind: 'again', messageId, before: [] }
      : { kind: 'message', text, clientId, messageId, before: [] }
  }
  const { messages, trigger } = body
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const last = messages[at]
  const messageId = body.messageId ?? undefined
  const idsOf = (of: typeof messages) => of.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  if (trigger === 'regenerate-message') return { kind: 'again', messageId, before: idsOf(messages) }
  const text = last ? wordsOf(last) : ''
  if (text.trim() === '' || text.length > maxText || !isStorable(text)) throw unreadable()
  const clientId = typeof last?.id === 'string' && last.id.length <= 200 && isStorable(last.id) ? last.id : undefined
  return { kind: 'message', text, clientId, messageId, before: idsOf(messages.slice(0, at)) }
}

function unreadable(): CodedError {
  const message = `The last message of the user has no text, more than ${maxText} characters, or one that cannot be kept: U+0000, or half of a surrogate pair.`
  return new CodedError('VALIDATION_ERROR', {
    message,
    details: [{ path: 'messages', message }],
  })
}
