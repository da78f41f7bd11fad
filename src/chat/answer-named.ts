import type { Database } from '../database/database.ts'
import { isId } from '../ids.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'

/**
 * The answer of a session that a text names: by its id, or by that of the message that it answers last. A text that is
 * neither stands for what is under way: the answer that is written, or is next, or else waits for approval.
 */
export async function answerNamed(
  database: Database,
  sessionId: string,
  named: string,
): Promise<ChatAnswer | undefined> {
  const own = () => ChatAnswer.query(database).where({ sessionId })
  const itself = isId(named) ? await own().where({ id: named }).first() : undefined
  if (itself) return itself
  const messages = ChatMessage.query(database).where({ sessionId }).orderBy('number', 'desc')
  const message = await messages
    .where(
      (or) => void (isId(named) ? or.where({ clientId: named }).orWhere({ id: named }) : or.where({ clientId: named })),
    )
    .first()
  if (message) return own().where({ messageId: message.id }).orderBy('number', 'desc').first()
  return own().whereNull('endedAt').orderByRaw(`status = 'waiting', number`).first()
}
