import { jsonDepth } from '../json.ts'
import { emptied, outlined, type Outline } from '../json-outline.ts'

/** How many messages of a history are looked at: the last ones. What stands before them places a message no better. */
export const mostMessages = 1000

/** The members that are read, in any order. */
const read = ['text', 'messageId', 'id', 'stream', 'messages', 'trigger'] as const

/** An id that is longer is none of a message. */
const longestId = 200

/**
 * What is read of a request of a chat: of its history the last thousand messages, of them the ids and who speaks, and the
 * words of the last one of the user. The rest may be anything, as nobody reads it: a document of the usual depth, some
 * levels inside, and numbers of any size.
 */
export const outlineOfChat = (text: string): Outline => outlined(text, shown, { first: read, maxDepth: 2 * jsonDepth })

function shown(member: unknown, name: string): unknown {
  if (name === 'messages' && Array.isArray(member)) return history(member.slice(-mostMessages))
  return typeof member === 'string' && read.some((known) => known === name) ? member : emptied(member)
}

function history(messages: unknown[]): unknown[] {
  const at = messages.findLastIndex((message) => isObject(message) && message['role'] === 'user')
  return messages.map((message, index) => placeOf(message, index === at))
}

/** A message's place; with its words if it is the one that is read. */
function placeOf(message: unknown, isRead: boolean): unknown {
  if (!isObject(message)) return emptied(message)
  const { id, role, parts, content } = message
  const words = isRead && { parts: textsIn(parts), content: typeof content === 'string' ? content : null }
  return { id: isId(id) ? id : null, role: role === 'user' ? role : null, ...words }
}

/** All its text parts as one; a message may have very many. */
function textsIn(parts: unknown): object[] {
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => textIn(part) ?? [])
  return texts.length > 0 ? [{ type: 'text', text: texts.join('\n') }] : []
}

const textIn = (part: unknown): string | undefined =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined

const isId = (id: unknown): boolean => typeof id === 'string' && id.length <= longestId
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
