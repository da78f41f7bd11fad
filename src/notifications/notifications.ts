import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { Notification, type NotificationKind } from './notification.ts'
import { oneLine, plainLines } from './plain-text.ts'

/** What an owner is told. Neither title nor message may hold a secret: both are mailed. */
export interface Telling {
  ownerId: string
  kind: NotificationKind
  /** The identifier of what it is about. */
  subjectId: string
  /** Which state of the subject this is: the same kind, subject and key are told once. */
  key: string
  title: string
  message: string
}

/**
 * What owners must look at (docs/design.md, "Telling the owner"): kept for them to list, and mailed by `createMails`.
 */
export function createNotifications(context: { database: Database; clock: Clock; config: Pick<Config, 'mail'> }) {
  const { database, clock, config } = context

  return {
    /**
     * Tells an owner, in the caller's transaction; true if it is new. Of several who tell the same at the same instant
     * one does: the others wait for its commit, or tell it themselves if that fails. Words of strangers may be in title
     * and message: they are cut and cleaned, so that telling never makes the caller's transaction fail.
     */
    async tell(trx: Transaction, { ownerId, kind, subjectId, key, title, message }: Telling): Promise<boolean> {
      const now = clock.now()
      // Decided here and not when mails are sent: a mail server that is set up later must not begin with a flood.
      const mail =
        config.mail.smtpUrl === undefined ? { status: 'none', nextAt: null } : { status: 'pending', nextAt: now }
      const { rows } = await trx.raw<{ rows: unknown[] }>(tellStatement, {
        id: newId(),
        ownerId,
        kind,
        subjectId,
        key,
        title: oneLine(title, 200),
        message: plainLines(message, 100, 2000),
        now,
        mailStatus: mail.status,
        mailNextAt: mail.nextAt,
      })
      return rows.length > 0
    },

    /** One page of what an owner was told, newest first, of one kind if it is named. Fails for a cursor that is none. */
    list: (
      ownerId: string,
      request: PageRequest & { kind?: NotificationKind | undefined },
    ): Promise<Page<Notification>> => {
      const told = Notification.query(database).where({ ownerId })
      return page(told, { list: 'notifications', ...request, only: { kind: request.kind } })
    },
  }
}

export type Notifications = ReturnType<typeof createNotifications>

const tellStatement = `
  insert into notifications
      (id, owner_id, kind, subject_id, dedupe_key, title, message, created_at, mail_status, mail_next_at)
    values (:id, :ownerId, :kind, :subjectId, :key, :title, :message, :now, :mailStatus, :mailNextAt)
  on conflict on constraint notifications_once do nothing returning 1`
