import { Row } from '../database/row.ts'

export const mailStatuses = ['kept', 'pending', 'sent', 'failed'] as const
export type MailStatus = (typeof mailStatuses)[number]

/**
 * What a mail is for. A token of an account's own address verifies it (`verify`) or replaces the password (`reset`), a
 * notice tells what was done to an account, and anybody can have the others mailed to anybody (`asked`).
 */
export type MailKind = 'asked' | 'verify' | 'reset' | 'notice'

/** One mail to an address (table `outbox_mails`). */
export class OutboxMail extends Row {
  static override tableName = 'outbox_mails'
  declare id: string
  declare recipient: string
  declare kind: MailKind
  /** The address itself, or its mailbox; so many of a kind are written in a day. */
  declare countedBy: string
  /** One line, without secrets. */
  declare subject: string
  /** The text, sealed, since it may hold a token; null once it was sent, or is of no use any more. */
  declare body: string | null
  /** `kept`: there was no mail server when it was made. `failed`: given up. */
  declare status: MailStatus
  declare attempts: number
  /** When a pending one is tried next. */
  declare nextAt: Date | null
  declare sentAt: Date | null
  declare createdAt: Date
  /** Until when its text is of use. */
  declare expiresAt: Date
}
