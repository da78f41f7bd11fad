import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { nextAttempt, type DueMail, type MailQueue } from '../outbox/mail-queue.ts'
import { Notification } from './notification.ts'

/** Mails of notifications. Each notification's row has the state of its mail. A mail is given up after a day. */
export function createNotificationMails(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
}): MailQueue {
  const { database, clock, config } = context
  const givenUp = { mailStatus: 'failed' as const, mailNextAt: null }
  return {
    async claim(): Promise<DueMail | undefined> {
      const { rows } = await database.raw<{ rows: (DueMail & { page: string })[] }>(claimStatement, {
        now: clock.now(),
      })
      const [mail] = rows
      return mail && { ...mail, text: `Open in the console: ${config.http.baseUrl}${mail.page}\n\n${mail.text}\n` }
    },

    async recordSent(id): Promise<void> {
      const sent = { mailStatus: 'sent' as const, mailNextAt: null, mailedAt: clock.now() }
      await Notification.query(database).findById(id).patch(sent)
    },

    giveUp: async (id) => void (await Notification.query(database).findById(id).patch(givenUp)),

    giveUpOld: async () =>
      Notification.query(database)
        .where({ mailStatus: 'pending' })
        .where('createdAt', '<=', later(clock.now(), -86_400))
        .patch(givenUp),
  }
}

const claimStatement = `
  update notifications n
     set mail_attempts = mail_attempts + 1, mail_next_at = ${nextAttempt('mail_attempts')}
    from users u
   where u.id = coalesce((select payer_id from workspaces where id = n.owner_id), n.owner_id)
     and n.id = (select id from notifications where mail_status = 'pending' and mail_next_at <= :now
                  order by mail_next_at, id limit 1 for update skip locked)
  returning n.id, n.title as subject, n.message as text, n.console_page as page, n.mail_attempts as attempt, u.email as to`
