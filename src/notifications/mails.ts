import { recordMs, retryWhileUnavailable, type Database } from '../database/database.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Lease } from '../database/lease.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { DueMail, MailQueue } from '../outbox/mail-queue.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createMailer, type Delivery } from './mailer.ts'
import { createNotificationMails } from './notification-mails.ts'

/** The most mails in one round, so a stopping process ends soon. */
const batch = 20

/**
 * Sends the mails of notifications and of the outbox. A claim lasts until the mail's next attempt: five minutes at
 * first, then doubling up to four hours. So if a process is killed while it sends, the duplicate comes minutes later at
 * the earliest. A mail is given up after a day, or when its text has expired.
 */
export function createMails(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  lease: Lease
  metrics: Pick<Metrics, 'mailsFailed'>
  outbox: Pick<Outbox, 'queue'>
}) {
  const { config, logger, lease, outbox, metrics } = context
  const queues = [outbox.queue, createNotificationMails(context)]
  const deliver = createMailer(context)
  // Longer than it takes to send and record one mail; extended before each.
  const leaseSeconds = 3 * config.mail.timeoutSeconds + recordMs / 1000 + 10

  async function giveUpOld(): Promise<void> {
    let count = 0
    for (const queue of queues) count += await queue.giveUpOld()
    metrics.mailsFailed.inc(count)
    if (count > 0) logger.warn({ count }, 'gave up on emails that were a day old or no longer useful')
  }

  /** The next mail. The queues take turns, so neither holds up the other. */
  async function claim(turn: number) {
    for (const queue of turn % 2 === 0 ? queues : queues.toReversed()) {
      const mail = await queue.claim()
      if (mail) return { queue, mail }
    }
    return undefined
  }

  async function recordOutcome(queue: MailQueue, { id, attempt }: DueMail, delivery: Delivery): Promise<void> {
    if (delivery.kind === 'sent') {
      await retryWhileUnavailable(() => queue.recordSent(id))
      logger.info({ mailId: id, attempt }, 'mail sent')
      return
    }
    logger.warn({ mailId: id, attempt, outcome: delivery.kind, what: delivery.what }, 'mail not sent')
    if (delivery.kind !== 'refused') return
    await queue.giveUp(id)
    metrics.mailsFailed.inc()
  }

  /**
   * One round: sends due mails, in one process at a time. Ends early if the server accepts nothing, because each
   * further attempt would cost a timeout. Does nothing without a mail server.
   */
  async function send(stopping?: AbortSignal): Promise<void> {
    if (!deliver || !(await lease.hold('mails', leaseSeconds))) return
    await giveUpOld()
    for (let left = batch; left > 0; left -= 1) {
      if (stopping?.aborted) return
      const claimed = (await lease.hold('mails', leaseSeconds)) && (await claim(left))
      if (!claimed) return
      const { queue, mail } = claimed
      const delivery = await deliver(mail)
      await recordOutcome(queue, mail, delivery)
      if (delivery.kind === 'away') return
    }
  }

  return { send }
}
