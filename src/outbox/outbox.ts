import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { firstIdAt, newId } from '../ids.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { mailboxOf } from '../users/email.ts'
import { User } from '../users/user.ts'
import { nextAttempt, type DueMail, type MailQueue } from './mail-queue.ts'
import { OutboxMail, type MailKind, type MailStatus } from './outbox-mail.ts'

const day = 86_400

/**
 * The most mails of each kind per day. Kinds count separately, so that one kind cannot use up another. Resets allow the
 * full five requests an hour: otherwise a stranger's requests would keep the owner out.
 */
const mostADay: Record<MailKind, number> = { asked: 20, verify: 20, reset: 5 * 24, notice: 20 }

/** How long mails are listed, in seconds. */
const keptSeconds = 7 * day

/** A mail to write. Only the text may contain a token. */
export interface NewMail {
  to: string
  subject: string
  text: string
  /** Until when the text is useful, at most a week. */
  expiresAt: Date
  kind: MailKind
}

/** A mail as an admin sees it. */
export interface ShownMail {
  id: string
  to: string
  subject: string
  /** null if a mail server sends it, and once it has expired. */
  text: string | null
  status: MailStatus
  attempts: number
  createdAt: Date
  sentAt: Date | null
}

/**
 * Mails about accounts. They are sent like notifications; without a mail server, admins read them. Texts are sealed,
 * and cleared once they are sent or have expired, because they contain tokens.
 */
export function createOutbox(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'mail'>
  sealing: Sealing
}) {
  const { database, clock, config, sealing } = context
  const open = (id: string, body: string): string => sealing.open(body, placeOf(id))

  /**
   * What the limit of a kind counts by. If only the account can cause the mail, it is the exact address, so that a
   * stranger's `ada+1@` cannot use up the limit of `ada@`. Otherwise it is the mailbox, or many accounts together could
   * flood it.
   */
  async function countedBy(trx: Transaction, kind: MailKind, address: string): Promise<string> {
    const mailbox = mailboxOf(address)
    if (kind === 'asked' || address === mailbox) return mailbox
    const verified = User.query(trx).where({ email: address }).whereNotNull('emailVerifiedAt')
    return (await verified.resultSize()) > 0 ? address : `others of ${mailbox}`
  }

  async function hasRoom(trx: Transaction, of: Pick<OutboxMail, 'kind' | 'countedBy'>): Promise<boolean> {
    const today = OutboxMail.query(trx)
      .where(of)
      .where('id', '>=', firstIdAt(later(clock.now(), -day)))
    return (await today.resultSize()) < mostADay[of.kind]
  }

  /** Writes a mail in the caller's transaction. Returns false, and writes nothing, beyond today's limit of its kind. */
  async function put(trx: Transaction, { to, subject, text, expiresAt, kind }: NewMail): Promise<boolean> {
    const counted = { kind, countedBy: await countedBy(trx, kind, to) }
    if (!(await hasRoom(trx, counted))) return false
    const [id, now] = [newId(), clock.now()]
    // Decided here and not at sending, so that a new mail server does not start with a flood.
    const isSent = config.mail.smtpUrl !== undefined
    const state = isSent ? { status: 'pending' as const, nextAt: now } : { status: 'kept' as const, nextAt: null }
    const body = sealing.seal(text, placeOf(id))
    const row = { id, recipient: to, ...counted, subject, body, ...state, createdAt: now, expiresAt }
    await OutboxMail.query(trx).insert(row)
    return true
  }

  /** The same for a mail that the caller's user requests: RATE_LIMITED. */
  async function putOrRefuse(trx: Transaction, mail: NewMail): Promise<void> {
    const message = 'This mailbox has reached its daily email limit. Try again tomorrow.'
    assertThat(await put(trx, mail), 'RATE_LIMITED', { message, retryAfter: 3600 })
  }

  /**
   * One page of all mails, newest first. Hides texts that a mail server sends: an admin could take over an account with
   * the owner's token.
   */
  async function list(request: PageRequest): Promise<Page<ShownMail>> {
    const { items, nextCursor } = await page(OutboxMail.query(database), {
      list: 'outbox',
      time: 'createdAt',
      ...request,
    })
    return { items: items.map(show), nextCursor }
  }

  function show({ id, recipient: to, subject, body, status, attempts, createdAt, sentAt, expiresAt }: OutboxMail) {
    const isReadable = status === 'kept' && body !== null && expiresAt > clock.now()
    return { id, to, subject, text: isReadable ? open(id, body) : null, status, attempts, createdAt, sentAt }
  }

  async function claim(): Promise<DueMail | undefined> {
    const { rows } = await database.raw<{ rows: (DueMail & { body: string })[] }>(claimStatement, { now: clock.now() })
    const [found] = rows
    return found && { ...found, text: open(found.id, found.body) }
  }

  async function recordSent(id: string): Promise<void> {
    const sent = { status: 'sent' as const, nextAt: null, sentAt: clock.now(), body: null }
    await OutboxMail.query(database).findById(id).patch(sent)
  }

  const givenUp = { status: 'failed' as const, nextAt: null, body: null }

  async function giveUpOld(): Promise<number> {
    const now = clock.now()
    return OutboxMail.query(database)
      .where({ status: 'pending' })
      .where((old) => void old.where('expiresAt', '<=', now).orWhere('createdAt', '<=', later(now, -day)))
      .patch(givenUp)
  }

  const queue: MailQueue = {
    claim,
    recordSent,
    giveUp: async (id) => void (await OutboxMail.query(database).findById(id).patch(givenUp)),
    giveUpOld,
  }

  /** Clears expired texts, and deletes mails after a week. */
  async function purge(): Promise<void> {
    const now = clock.now()
    // The mail loop gives up pending mails. Without a mail server, no loop handles kept ones.
    await OutboxMail.query(database).where({ status: 'kept' }).where('expiresAt', '<=', now).patch({ body: null })
    await OutboxMail.query(database)
      .where('id', '<', firstIdAt(later(now, -keptSeconds)))
      .delete()
  }

  return { put, putOrRefuse, list, purge, queue }
}

export type Outbox = ReturnType<typeof createOutbox>

const placeOf = (id: string) => ({ id, column: 'outbox_mails.body' })

const claimStatement = `
  update outbox_mails
     set attempts = attempts + 1, next_at = ${nextAttempt('attempts')}
   where id = (select id from outbox_mails where status = 'pending' and next_at <= :now and expires_at > :now
                order by next_at, id limit 1 for update skip locked)
  returning id, recipient as to, subject, body, attempts as attempt`
