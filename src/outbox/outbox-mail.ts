import { Row } from '../database/row.ts'

export const mailStatuses = ['kept', 'pending', 'sent', 'failed'] as const
export type MailStatus = (typeof mailStatuses)[number]

/**
 * The purpose of a mail. `verify` and `reset` carry a token for the account's own address: to verify it, or to replace
 * the password. A `notice` reports a change to the account. Anyone can have the other kind (`asked`) mailed to any
 * address.
 */
export type MailKind = 'asked' | 'verify' | 'reset' | 'notice'

/** One mail to an address (table `outbox_mails`). */
export class OutboxMail extends Row {
  static override tableName = 'outbox_mails'
  declare id: string
  declare recipient: string
  declare kind: MailKind
  /** The address itself, or its mailbox. The daily limit of a kind counts by it. */
  declare countedBy: string
  /** One line, without secrets. */
  declare subject: string
  /** The text, sealed because it may contain a token; null once it is sent or has expired. */
  declare body: string | null
  /** `kept`: there was no mail server when it was created. `failed`: given up. */
  declare status: MailStatus
  declare attempts: number
  /** When a pending mail is tried next. */
  declare nextAt: Date | null
  declare sentAt: Date | null
  declare createdAt: Date
  /** Until when the text is useful. */
  declare expiresAt: Date
}
