import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import type { Lease } from '../database/lease.ts'
import type { Logger } from '../logger.ts'
import { createMailer, type Delivery } from './mailer.ts'
import { Notification } from './notification.ts'

/** The most mails in one round, so that a stopping process ends soon. */
const batch = 20
/** How long recording a sent mail is retried, in milliseconds. If it fails, the mail is sent again. */
const recordMs = 20_000

interface Claimed {
  id: string
  title: string
  message: string
  attempt: number
  email: string
}

/**
 * Mails notifications to owners (docs/design.md, "Telling the owner"). A mail is claimed before it is sent, until its
 * next attempt would be due: five minutes at first, then doubled up to four hours. So a process that is killed while
 * sending does not cause two mails within minutes. A mail that is not sent within a day is given up.
 */
export function createMails(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  lease: Lease
}) {
  const { database, clock, config, logger, lease } = context
  const deliver = createMailer(context)
  // Longer than sending and recording one mail can take; extended before each.
  const leaseSeconds = 3 * config.mail.timeoutSeconds + recordMs / 1000 + 10

  async function giveUpOld(): Promise<void> {
    const dayAgo = new Date(clock.now().getTime() - 86_400_000)
    const count = await Notification.query(database)
      .where({ mailStatus: 'pending' })
      .where('createdAt', '<=', dayAgo)
      .patch({ mailStatus: 'failed', mailNextAt: null })
    if (count > 0) logger.warn({ count }, 'mails were given up after a day')
  }

  async function claim(): Promise<Claimed | undefined> {
    const { rows } = await database.raw<{ rows: Claimed[] }>(claimStatement, { now: clock.now() })
    return rows[0]
  }

  async function recordOutcome({ id, attempt }: Claimed, delivery: Delivery): Promise<void> {
    if (delivery.kind === 'sent') {
      const sent = { mailStatus: 'sent' as const, mailNextAt: null, mailedAt: clock.now() }
      await retryWhileUnavailable(
        async () => Notification.query(database).findById(id).patch(sent),
        AbortSignal.timeout(recordMs),
      )
      logger.info({ notificationId: id, attempt }, 'mailed')
      return
    }
    logger.warn({ notificationId: id, attempt, outcome: delivery.kind, what: delivery.what }, 'not mailed')
    if (delivery.kind !== 'refused') return
    await Notification.query(database).findById(id).patch({ mailStatus: 'failed', mailNextAt: null })
  }

  /**
   * One round: sends what is due, in one process at a time. Ends early if the server takes nothing, since each further
   * attempt would cost a timeout. Does nothing if no mail server is configured.
   */
  async function send(): Promise<void> {
    if (!deliver || !(await lease.hold('mails', leaseSeconds))) return
    await giveUpOld()
    for (let left = batch; left > 0; left -= 1) {
      const mail = (await lease.hold('mails', leaseSeconds)) && (await claim())
      if (!mail) return
      const { id, email: to, title: subject, message } = mail
      const delivery = await deliver({ id, to, subject, text: `${message}\n\n${config.http.baseUrl}\n` })
      await recordOutcome(mail, delivery)
      if (delivery.kind === 'away') return
    }
  }

  return { send }
}

const claimStatement = `
  update notifications n
     set mail_attempts = mail_attempts + 1,
         mail_next_at = :now::timestamptz
           + least(interval '5 minutes' * power(2, least(mail_attempts, 10)), interval '4 hours')
    from users u
   where u.id = n.owner_id
     and n.id = (select id from notifications where mail_status = 'pending' and mail_next_at <= :now
                  order by mail_next_at, id limit 1 for update skip locked)
  returning n.id, n.title, n.message, n.mail_attempts as attempt, u.email`
