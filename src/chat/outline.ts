import { isObject, jsonDepth } from '../json.ts'
import { emptied, outlined, type Outline } from '../json-outline.ts'

/** How many messages of a history are looked at: the last ones. What stands before them places a message no better. */
const mostMessages = 1000

/** The members that are read, in any order. */
const read = ['text', 'messageId', 'id', 'stream', 'messages', 'trigger'] as const

/** An id that is longer is none of a message. */
const longestId = 200
/** So much of an unknown kind of part is told. */
const longestKind = 100

/**
 * What is read of a request of a chat: of its history the last thousand messages, of them the ids and who speaks, and
 * the words of the last one of the user, with the place of what is no text in it. The rest may be anything, as nobody
 * reads it: a document of the usual depth, some levels inside, and numbers of any size.
 */
export const outlineOfChat = (bytes: Uint8Array): Outline =>
  outlined(bytes, shown, { first: read, maxDepth: 2 * jsonDepth })

function shown(member: unknown, name: string): unknown {
  if (name === 'messages' && Array.isArray(member)) return history(member)
  return typeof member === 'string' && read.some((known) => known === name) ? member : emptied(member)
}

function history(all: unknown[]): unknown[] {
  const messages = all.slice(-mostMessages)
  const at = messages.findLastIndex((message) => isObject(message) && message['role'] === 'user')
  const path = `messages.${all.length - messages.length + at}`
  return messages.map((message, index) => placeOf(message, index === at ? path : undefined))
}

/** A message's place; with its words if it is the one that is read, which has a path then. */
function placeOf(message: unknown, path: string | undefined): unknown {
  if (!isObject(message)) return emptied(message)
  const { id, role } = message
  return {
    // The id of the message itself is refused if it is none; others place it no better.
    id: isId(id) ? id : path !== undefined && typeof id === 'string' ? id.slice(0, longestId + 1) : null,
    role: role === 'user' ? role : null,
    ...(path !== undefined && wordsOf(message, path)),
  }
}

/** Parts are called `content` by clients of other APIs. */
function wordsOf(message: Record<string, unknown>, path: string) {
  const { parts, content } = message
  const [name, list] = Array.isArray(parts) ? ['parts', parts] : ['content', Array.isArray(content) ? content : []]
  const unread = unreadPart(list, `${path}.${name}`) ?? unreadMember(message, path)
  const text = typeof content === 'string' ? content : null
  return { path, parts: textsIn(list), content: text, ...(unread && { unread }) }
}

/** What is no text in a message: where it stands, and its kind. */
export interface Unread {
  path: string
  kind: string
}

function unreadPart(list: unknown[], path: string): Unread | undefined {
  const at = list.findIndex((part) => isObject(part) && part['type'] !== 'text')
  const kind = (list[at] as Record<string, unknown> | undefined)?.['type']
  return at < 0
    ? undefined
    : { path: `${path}.${at}`, kind: typeof kind === 'string' ? kind.slice(0, longestKind) : '' }
}

/** Files beside the parts, as older clients and those of other APIs send them. */
const fileMembers = [
  'experimental_attachments',
  'attachments',
  'files',
  'file',
  'images',
  'image',
  'image_url',
  'audio',
]

function unreadMember(message: Record<string, unknown>, path: string): Unread | undefined {
  const name = fileMembers.find((member) => hasContent(message[member]))
  return name === undefined ? undefined : { path: `${path}.${name}`, kind: name }
}

const hasContent = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** All its text parts as one; a message may have very many. */
function textsIn(parts: unknown[]): object[] {
  const texts = parts.flatMap((part) => textIn(part) ?? [])
  return texts.length > 0 ? [{ type: 'text', text: texts.join('\n') }] : []
}

const textIn = (part: unknown): string | undefined =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? part['text'] : undefined

const isId = (id: unknown): boolean => typeof id === 'string' && id.length <= longestId
