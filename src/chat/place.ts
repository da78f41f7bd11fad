import type { ChatAnswer } from './chat-answer.ts'
import type { ChatMessage } from './chat-message.ts'

/** The messages and answers of a session, as far as their places matter. */
export interface Tree {
  messages: Pick<ChatMessage, 'id' | 'number' | 'parentId' | 'clientId'>[]
  answers: Pick<ChatAnswer, 'id' | 'number' | 'messageId'>[]
}

/** Where a client says that its message belongs. Ids may be ours or those under which it knows its own messages. */
export interface Wanted {
  /** The message that a new one replaces, or the answer that is to be given again. */
  messageId?: string | undefined
  /** The ids of what stands before the message in the client's copy, oldest first. */
  before: string[]
}

/** What a client asks for: an answer to a new message, or another one to an earlier message. */
export type ChatRequest = Wanted & {
  /** Under one key, a session has one answer. */
  requestKey?: string | undefined
} & ({ kind: 'message'; text: string; clientId?: string | undefined } | { kind: 'again' })

/** Messages by our ids and those under which clients know them, of which the last counts. A client may send many ids. */
const namedIn = (messages: Tree['messages']) =>
  new Map(messages.flatMap((message) => [message.id, message.clientId ?? message.id].map((id) => [id, message])))

const byId = <Row extends { id: string }>(rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [row.id, row]))

/**
 * What a new message follows. One that replaces another has the same place. Otherwise it follows the last of what stands
 * before it that this session knows, and if it knows nothing of that, whatever came last. Only ids are looked at: what a
 * client says of its history changes nothing.
 */
export function parentOf({ messages, answers }: Tree, { messageId, before }: Wanted): string | null {
  const named = namedIn(messages)
  const replaced = messageId === undefined ? undefined : named.get(messageId)
  if (replaced) return replaced.parentId
  const answerOf = byId(answers)
  for (const id of before.toReversed()) {
    const known = answerOf.get(id) ?? named.get(id)
    if (known) return known.id
  }
  return lastOf([...messages, ...answers])?.id ?? null
}

/** The message that is to be answered again; undefined if nothing was said yet. */
export function messageToAnswer({ messages, answers }: Tree, { messageId, before }: Wanted): string | undefined {
  const named = namedIn(messages)
  const answerOf = byId(answers)
  for (const id of messageId === undefined ? before.toReversed() : [messageId]) {
    const known = answerOf.get(id)?.messageId ?? named.get(id)?.id
    if (known !== undefined) return known
  }
  return lastOf(messages)?.id
}

const lastOf = <Row extends { number: number }>(rows: Row[]): Row | undefined =>
  rows.toSorted((one, other) => one.number - other.number).at(-1)

/** The ids of the messages that lead to one, oldest first, itself included; each but that with its answer, if it had one. */
export function pathTo({ messages, answers }: Tree, messageId: string): { messageId: string; answerId?: string }[] {
  const [messageOf, answerOf] = [byId(messages), byId(answers)]
  const path: { messageId: string; answerId?: string }[] = [{ messageId }]
  for (let at = messageOf.get(messageId); at?.parentId;) {
    const { parentId } = at
    const answer = answerOf.get(parentId)
    const before = answer?.messageId ?? parentId
    path.push({ messageId: before, ...(answer && { answerId: answer.id }) })
    at = messageOf.get(before)
  }
  return path.toReversed()
}
