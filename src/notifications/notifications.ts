import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { Notification, type NotificationKind } from './notification.ts'
import { oneLine, plainLines } from './plain-text.ts'

/** A notification to create. Neither title nor message may hold a secret: both are mailed. */
export interface NewNotification {
  ownerId: string
  kind: NotificationKind
  /** The identifier of what it is about. */
  subjectId: string
  /** Which state of the subject this is: each kind, subject and key is notified once. */
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
     * Notifies an owner, in the caller's transaction; true if it is new. Of several concurrent callers with the same
     * notification, one inserts it; the others wait for its commit, or insert it if that fails. Title and message may
     * contain words of strangers: they are cut and cleaned, so that the caller's transaction never fails here.
     */
    async notify(
      trx: Transaction,
      { ownerId, kind, subjectId, key, title, message }: NewNotification,
    ): Promise<boolean> {
      const now = clock.now()
      // Decided here and not when mails are sent: a mail server that is set up later must not begin with a flood.
      const mail =
        config.mail.smtpUrl === undefined ? { status: 'none', nextAt: null } : { status: 'pending', nextAt: now }
      const { rows } = await trx.raw<{ rows: unknown[] }>(notifyStatement, {
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

    /** One page of an owner's notifications, newest first, of one kind if named. Fails for an invalid cursor. */
    list: (
      ownerId: string,
      request: PageRequest & { kind?: NotificationKind | undefined },
    ): Promise<Page<Notification>> =>
      page(Notification.query(database), {
        list: 'notifications',
        time: 'createdAt',
        of: { ownerId },
        ...request,
        only: { kind: request.kind },
      }),
  }
}

export type Notifications = ReturnType<typeof createNotifications>

const notifyStatement = `
  insert into notifications
      (id, owner_id, kind, subject_id, dedupe_key, title, message, created_at, mail_status, mail_next_at)
    values (:id, :ownerId, :kind, :subjectId, :key, :title, :message, :now, :mailStatus, :mailNextAt)
  on conflict on constraint notifications_once do nothing returning 1`
