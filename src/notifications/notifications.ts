import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { firstIdAt, isId, newId } from '../ids.ts'
import { belongsTo, type Owners } from '../owners/reach.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { Notification, type NotificationKind } from './notification.ts'
import { paidWith, payerOf } from '../owners/payer.ts'
import { User } from '../users/user.ts'
import { oneLine } from './plain-text.ts'

/** A notification to create. Neither title nor message may hold a secret: both are mailed. */
export interface NewNotification {
  ownerId: string
  kind: NotificationKind
  /** The identifier of what it is about. */
  subjectId: string
  /** Which state of the subject this is: each kind, subject and key is notified once. */
  key: string
  title: string
  /** Its lines; one may hold words of strangers, which make no other. */
  message: string | readonly string[]
}

/**
 * How many notifications of a kind an account is mailed in a day. Each kind counts separately: strangers cause some, as with
 * webhooks of which every run fails or asks, and must not use up the others.
 */
const mailsADay = 100

/** More lines nobody reads in a notification. */
const mostLines = 100

/**
 * What owners must look at (docs/design.md, "Telling the owner"): kept for them to list, and mailed.
 */
export function createNotifications(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'mail' | 'auditDays'>
}) {
  const { database, clock, config } = context
  /**
   * Whoever pays gets the mails of all that they pay for. Beyond that, notifications are only listed, and so are those of an
   * account whose address is not verified: it may be somebody else's.
   */
  async function isMailed(trx: Transaction, ownerId: string, kind: NotificationKind): Promise<boolean> {
    if (config.mail.smtpUrl === undefined) return false
    const payer = User.query(trx).where('id', payerOf(ownerId)).whereNotNull('emailVerifiedAt')
    if ((await payer.resultSize()) === 0) return false
    const mailed = Notification.query(trx)
      .whereIn('ownerId', paidWith(ownerId))
      .where({ kind })
      .where('id', '>=', firstIdAt(later(clock.now(), -86_400)))
      .whereNot({ mailStatus: 'none' })
    return (await mailed.resultSize()) < mailsADay
  }

  const unreadOnes = () => Notification.query(database).whereNull('readAt')

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
      const mail = (await isMailed(trx, ownerId, kind))
        ? { status: 'pending', nextAt: now }
        : { status: 'none', nextAt: null }
      const { rows } = await trx.raw<{ rows: unknown[] }>(notifyStatement, {
        id: newId(),
        ownerId,
        kind,
        subjectId,
        key,
        title: oneLine(title, 200),
        message: [message]
          .flat()
          .slice(0, mostLines)
          .map((line) => oneLine(line, 2000))
          .join('\n'),
        now,
        mailStatus: mail.status,
        mailNextAt: mail.nextAt,
      })
      return rows.length > 0
    },

    /** One page of an owner's notifications, newest first, of one kind or unread if asked. Fails for an invalid cursor. */
    list: (
      ownerId: string,
      { kind, unread = false, ...request }: PageRequest & { kind?: NotificationKind | undefined; unread?: boolean },
    ): Promise<Page<Notification>> =>
      page(unread ? unreadOnes() : Notification.query(database), {
        list: 'notifications',
        time: 'createdAt',
        of: { ownerId },
        ...request,
        only: { kind },
      }),

    /** One of the owners' notifications. NOT_FOUND. */
    async get(owners: Owners, id: string): Promise<Notification> {
      const found = isId(id) ? await Notification.query(database).findById(id) : undefined
      const message = 'There is no notification with this id.'
      assertThat(found && belongsTo(owners, found.ownerId), 'NOT_FOUND', { message })
      return found
    },

    /** Marks one as read, or as unread again. Who has read it first stays. */
    async mark({ id }: Notification, read: boolean, userId: string): Promise<Notification> {
      const mine = read ? unreadOnes() : Notification.query(database).whereNotNull('readAt')
      await mine.where({ id }).patch(read ? { readAt: clock.now(), readBy: userId } : { readAt: null, readBy: null })
      return Notification.query(database).findById(id).throwIfNotFound()
    },

    /** Marks all of an owner as read that are not newer than the named one. Returns how many. */
    markAll: async (ownerId: string, upTo: string, userId: string): Promise<number> =>
      unreadOnes().where({ ownerId }).where('id', '<=', upTo).patch({ readAt: clock.now(), readBy: userId }),

    /** Deletes some of those that are older than AUDIT_DAYS. Safe in several processes at once. */
    async purge(): Promise<void> {
      const before = firstIdAt(later(clock.now(), -config.auditDays * 86_400))
      await database.raw(purgeStatement, { before, most: purgedAtOnce })
    },
  }
}

/** How many notifications one round deletes. */
const purgedAtOnce = 5000

const purgeStatement = `
  delete from notifications where id in (
    select id from notifications where id < :before order by id limit :most for update skip locked)`

export type Notifications = ReturnType<typeof createNotifications>

const notifyStatement = `
  insert into notifications
      (id, owner_id, kind, subject_id, dedupe_key, title, message, created_at, mail_status, mail_next_at)
    values (:id, :ownerId, :kind, :subjectId, :key, :title, :message, :now, :mailStatus, :mailNextAt)
  on conflict on constraint notifications_once do nothing returning 1`
