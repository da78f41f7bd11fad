/** A mail that is to be sent now. */
export interface DueMail {
  /** Stays the same when it is sent again. */
  id: string
  to: string
  subject: string
  text: string
  /** Which attempt this is, from 1. */
  attempt: number
}

/** Mails that wait in a table: claimed before they are sent, so that a crash does not send one twice in a row. */
export interface MailQueue {
  /** The next one that is due, claimed until its next attempt would be due. */
  claim(): Promise<DueMail | undefined>
  recordSent(id: string): Promise<void>
  giveUp(id: string): Promise<void>
  /** Gives up those that are too old, and returns how many there were. */
  giveUpOld(): Promise<number>
}

/** As SQL, when a mail with so many attempts is tried next: in five minutes at first, doubled up to four hours. */
export const nextAttempt = (attempts: string): string =>
  `:now::timestamptz + least(interval '5 minutes' * power(2, least(${attempts}, 10)), interval '4 hours')`
