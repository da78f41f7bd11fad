import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../database/database.ts'
import { toColumn } from '../database/any-text.ts'
import { assertThat } from '../errors.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import type { ChatRequest } from './place.ts'

/**
 * The answer that the same request was given before: the one made under its key, or the last one to the message that
 * has its id. Fails with VALIDATION_ERROR if the key or the id was used for something else.
 */
export async function earlierAnswer(
  db: Database | Transaction,
  sessionId: string,
  request: ChatRequest,
): Promise<ChatAnswer | undefined> {
  const { requestKey = null } = request
  const made = requestKey === null ? undefined : await ChatAnswer.query(db).findOne({ sessionId, requestKey })
  if (!made) return answerToMessage(db, sessionId, request)
  const message = 'This session has already used this Idempotency-Key for a different request. Use a new key.'
  const details = [{ path: 'Idempotency-Key', message }]
  assertThat(made.requestHash === hashOf(request), 'VALIDATION_ERROR', { message, details })
  return made
}

/** A message that replaces another may have its id. */
async function answerToMessage(
  db: Database | Transaction,
  sessionId: string,
  request: ChatRequest,
): Promise<ChatAnswer | undefined> {
  if (request.kind === 'again' || request.clientId === undefined || request.messageId !== undefined) return undefined
  const { clientId, text } = request
  // One statement, so that a message that arrives meanwhile is not taken for one with another text.
  const found = await ChatMessage.query(db)
    .where({ sessionId, clientId })
    .orderByRaw('text = ? desc, number desc', [toColumn(text)])
    .select('id', 'text')
    .first()
  const message = `The id ${JSON.stringify(clientId)} belongs to another message in this session. Use a unique id for each message. To replace a message, pass its id as "messageId".`
  const isFree = found === undefined || found.text === text
  assertThat(isFree, 'VALIDATION_ERROR', { message, details: [{ path: 'id', message }] })
  return found && ChatAnswer.query(db).where({ sessionId, messageId: found.id }).orderBy('number', 'desc').first()
}

/**
 * Whether the request may be answered anew: the answer has failed, and none of its calls was sent. One that a restore
 * of the database has ended may have sent calls that are not on record.
 */
export async function hasDoneNothing(
  trx: Transaction,
  { id: subjectId, status, endedAt }: ChatAnswer,
): Promise<boolean> {
  if (status !== 'failed' || (await trx('restores').where({ restoredAt: endedAt }).first())) return false
  return (await ToolCall.query(trx).where({ subjectId }).where('attempts', '>', 0).resultSize()) === 0
}

/** SHA-256 of what is asked for, in hex. A client that repeats a request may know more of the history meanwhile. */
export function hashOf(request: ChatRequest): string {
  const { kind, messageId = null } = request
  const said = kind === 'message' ? [request.text, request.clientId ?? null] : []
  return createHash('sha256')
    .update(JSON.stringify([kind, messageId, ...said]))
    .digest('hex')
}
