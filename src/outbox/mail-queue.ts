export interface DueMail {
  /** Stays the same on retries. */
  id: string
  to: string
  subject: string
  text: string
  /** The number of this attempt, from 1. */
  attempt: number
}

/** Mails that wait in a table. Each is claimed before it is sent, so a crash does not cause an immediate duplicate. */
export interface MailQueue {
  /** The next due mail, claimed until its next attempt is due. */
  claim(): Promise<DueMail | undefined>
  recordSent(id: string): Promise<void>
  giveUp(id: string): Promise<void>
  /** Gives up mails that are too old. Returns the count. */
  giveUpOld(): Promise<number>
}

/** SQL for the next attempt after this many: five minutes at first, doubling up to four hours. */
export const nextAttempt = (attempts: string): string =>
  `:now::timestamptz + least(interval '5 minutes' * power(2, least(${attempts}, 10)), interval '4 hours')`
