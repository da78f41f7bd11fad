import type { ErrorCode } from '../errors.ts'
import { Row } from '../database/row.ts'
import type { OnDisconnect } from '../sessions/session.ts'

/** Where an answer is. `queued → running ⇄ waiting → completed | stopped | failed`. */
export const answerStatuses = ['queued', 'running', 'waiting', 'completed', 'stopped', 'failed'] as const
export type AnswerStatus = (typeof answerStatuses)[number]

/** One answer to a message (table `chat_answers`). Its id is the message id that clients see. */
export class ChatAnswer extends Row {
  static override tableName = 'chat_answers'
  static override idColumn = ['sessionId', 'number']
  declare sessionId: string
  declare number: number
  declare id: string
  declare ownerId: string
  /** The message that it answers. */
  declare messageId: string
  declare status: AnswerStatus
  /** The key of the request that made it, and the hash of what was asked for. */
  declare requestKey: string | null
  declare requestHash: string | null
  declare onDisconnect: OnDisconnect
  declare model: string
  declare createdAt: Date
  declare startedAt: Date | null
  declare endedAt: Date | null
  /** Since when it waits for approvals, and how long it has waited before. */
  declare waitingSince: Date | null
  declare waitedMs: number
  /** Who writes it, and until when that is known, by the database's clock. */
  declare writer: string | null
  declare writerUntil: Date | null
  /** How often another process went on with it after its own had ended. */
  declare takeovers: number
  declare stopRequestedAt: Date | null
  declare steps: number
  /** Consecutive steps that did not count. */
  declare corrections: number | null
  declare toolCalls: number
  declare inputTokens: number
  declare outputTokens: number
  declare cachedTokens: number
  declare credits: number
  declare costNanoUsd: number | null
  declare finish: string | null
  declare errorCode: ErrorCode | null
  declare errorMessage: string | null
}
