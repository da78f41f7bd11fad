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

/** Finds messages and answers by any of their ids; a client may name thousands. A later message counts before an earlier one. */
function byId({ messages, answers }: Tree) {
  const messageOf = new Map<string, Tree['messages'][number]>()
  for (const message of messages) {
    messageOf.set(message.id, message)
    if (message.clientId !== null) messageOf.set(message.clientId, message)
  }
  const answerOf = new Map(answers.map((answer) => [answer.id, answer]))
  return { message: (id: string) => messageOf.get(id), answer: (id: string) => answerOf.get(id) }
}

/**
 * What a new message follows. One that replaces another has the same place. Otherwise it follows the last of what stands
 * before it that this session knows, and if it knows nothing of that, whatever came last. Only ids are looked at: what a
 * client says of its history changes nothing.
 */
export function parentOf(tree: Tree, { messageId, before }: Wanted): string | null {
  const known = byId(tree)
  const replaced = messageId === undefined ? undefined : known.message(messageId)
  if (replaced) return replaced.parentId
  for (const id of before.toReversed()) {
    const found = known.answer(id) ?? known.message(id)
    if (found) return found.id
  }
  return lastOf([...tree.messages, ...tree.answers])?.id ?? null
}

/** The message that is to be answered again; undefined if nothing was said yet. */
export function messageToAnswer(tree: Tree, { messageId, before }: Wanted): string | undefined {
  const known = byId(tree)
  const named = messageId === undefined ? before.toReversed() : [messageId]
  for (const id of named) {
    const found = known.answer(id)?.messageId ?? known.message(id)?.id
    if (found !== undefined) return found
  }
  return lastOf(tree.messages)?.id
}

const lastOf = <Row extends { number: number }>(rows: Row[]): Row | undefined =>
  rows.toSorted((one, other) => one.number - other.number).at(-1)

/** The ids of the messages that lead to one, oldest first, itself included; each but that with its answer, if it had one. */
export function pathTo({ messages, answers }: Tree, messageId: string): { messageId: string; answerId?: string }[] {
  const path: { messageId: string; answerId?: string }[] = [{ messageId }]
  for (let at = messages.find(({ id }) => id === messageId); at?.parentId;) {
    const { parentId } = at
    const answer = answers.find(({ id }) => id === parentId)
    const before = answer?.messageId ?? parentId
    path.unshift({ messageId: before, ...(answer && { answerId: answer.id }) })
    at = messages.find(({ id }) => id === before)
  }
  return path
}
