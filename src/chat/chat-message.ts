import { Row } from '../database/row.ts'

/** What a user says in a session (table `chat_messages`). Written once. */
export class ChatMessage extends Row {
  static override tableName = 'chat_messages'
  static override idColumn = ['sessionId', 'number']
  static override anyTexts = ['text']
  declare sessionId: string
  /** Its place in the order in which messages and answers of the session came. */
  declare number: number
  declare id: string
  /** The answer that it follows, or a message that has none; null at the beginning of a conversation. */
  declare parentId: string | null
  /** The id under which the client knows it. */
  declare clientId: string | null
  declare text: string
  declare createdAt: Date
}
