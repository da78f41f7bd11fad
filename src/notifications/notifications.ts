import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
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
  /** The subject's id. */
  subjectId: string
  /** Names the state of the subject: there is one notification per kind, subject and key. */
  key: string
  /** The console's page about it, as a path below BASE_URL. */
  consolePage: string
  title: string
  /** Lines of text. A line may quote strangers, who cannot add lines. */
  message: string | readonly string[]
}

/**
 * The most mails of a kind that an account gets in a day. Each kind has its own count: strangers can cause some kinds,
 * such as failures of webhook runs, and must not use up the others.
 */
export const mailsADay = 100

/** Nobody reads more lines in a notification. */
const mostLines = 100

/**
 * Things that need an owner's attention, listed, mailed, and posted to the owner's webhook. The transaction that makes one true also writes it. A
 * unique key per kind, subject and state prevents duplicates.
 */
export function createNotifications(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'mail' | 'auditDays' | 'callbacks'>
}) {
  const { database, clock, config } = context
  /**
   * The paying user gets the mails. Notifications beyond the daily limit are only listed. So are those of an account
   * with an unverified address, which may belong to someone else.
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
     * Notifies an owner in the caller's transaction. True if the notification is new. Concurrent callers with the same
     * notification insert it once. Title and message may quote strangers: they are cut and cleaned, so the insert never
     * fails.
     */
    async notify(
      trx: Transaction,
      { ownerId, kind, subjectId, key, consolePage, title, message }: NewNotification,
    ): Promise<boolean> {
      // Nobody reads what the platform would tell itself; the canary's health says it.
      if (ownerId === systemOwnerId) return false
      const now = clock.now()
      // Decided here and not at sending, so that a new mail server does not start with a flood.
      const mail = (await isMailed(trx, ownerId, kind))
        ? { status: 'pending', nextAt: now }
        : { status: 'none', nextAt: null }
      const { rows } = await trx.raw<{ rows: unknown[] }>(notifyStatement, {
        id: newId(),
        ownerId,
        kind,
        subjectId,
        key,
        consolePage,
        title: oneLine(title, 200),
        message: [message]
          .flat()
          .slice(0, mostLines)
          .map((line) => oneLine(line, 2000))
          .join('\n'),
        now,
        mailStatus: mail.status,
        mailNextAt: mail.nextAt,
        giveUpAt: later(now, config.callbacks.hours * 3600),
      })
      return rows.length > 0
    },

    /**
     * One page of an owner's notifications, newest first, optionally of one kind or unread only. Fails on an invalid
     * cursor.
     */
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

    async get(owners: Owners, id: string): Promise<Notification> {
      const found = isId(id) ? await Notification.query(database).findById(id) : undefined
      const message = 'There is no notification with this id.'
      assertThat(found && belongsTo(owners, found.ownerId), 'NOT_FOUND', { message })
      return found
    },

    /** Marks one as read or unread. The first reader stays recorded. */
    async mark({ id }: Notification, read: boolean, userId: string): Promise<Notification> {
      const mine = read ? unreadOnes() : Notification.query(database).whereNotNull('readAt')
      await mine.where({ id }).patch(read ? { readAt: clock.now(), readBy: userId } : { readAt: null, readBy: null })
      return Notification.query(database).findById(id).throwIfNotFound()
    },

    /** Marks an owner's notifications up to the given one as read. Returns the count. */
    markAll: async (ownerId: string, upTo: string, userId: string): Promise<number> =>
      unreadOnes().where({ ownerId }).where('id', '<=', upTo).patch({ readAt: clock.now(), readBy: userId }),

    /** Deletes some notifications older than AUDIT_DAYS. Safe in several processes at the same time. */
    async purge(): Promise<void> {
      const before = firstIdAt(later(clock.now(), -config.auditDays * 86_400))
      await database.raw(purgeStatement, { before, most: purgedAtOnce })
    },
  }
}

/** The most notifications that one round deletes. */
const purgedAtOnce = 5000

const purgeStatement = `
  with old as (
    select id from notifications where id < :before order by id limit :most for update skip locked
  ), posted as (
    delete from callbacks where run_id is null and id in (select id from old)
  )
  delete from notifications where id in (select id from old)`

export type Notifications = ReturnType<typeof createNotifications>

const notifyStatement = `
  with made as (
    insert into notifications
        (id, owner_id, kind, subject_id, dedupe_key, console_page, title, message, created_at, mail_status, mail_next_at)
      values (:id, :ownerId, :kind, :subjectId, :key, :consolePage, :title, :message, :now, :mailStatus, :mailNextAt)
    on conflict on constraint notifications_once do nothing returning id, owner_id, created_at
  ), posted as (
    insert into callbacks (id, owner_id, url, status, give_up_at, next_at, created_at)
      select m.id, m.owner_id, w.url, 'pending', :giveUpAt, m.created_at, m.created_at
        from made m join notification_webhooks w on w.owner_id = m.owner_id
  )
  select 1 from made`
