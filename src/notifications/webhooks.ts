import { newSecret } from '../agents/new-secrets.ts'
import { CallbackAttempt } from '../callbacks/callback-attempt.ts'
import { Callback, type CallbackStatus } from '../callbacks/callback.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { firstIdAt, newId } from '../ids.ts'
import { writeJson } from '../json-text.ts'
import { createReceiverUrl } from '../safe-fetch/receiver-url.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { lockOwner } from '../users/user.ts'
import { NotificationWebhook } from './notification-webhook.ts'
import { Notification } from './notification.ts'

/** The latest request, with the outcome of its latest attempt, if one was recorded. */
type LatestPost = Pick<Callback, 'id' | 'status' | 'attempts' | 'nextAt' | 'endedAt'> & {
  lastAttempt: CallbackAttempt | null
}

/** An owner's webhook as the owner sees it. Without a webhook, everything is null. */
interface ShownWebhook {
  url: string | null
  createdAt: Date | null
  updatedAt: Date | null
  latest: LatestPost | null
}

/**
 * Owners' webhooks for notifications. The callbacks' machinery posts them: a callback without a run posts the
 * notification that has its id (docs/decisions/0093).
 */
export function createNotificationWebhooks(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http' | 'sites'>
  sealing: Sealing
}) {
  const { database, clock, config, sealing } = context
  const readUrl = createReceiverUrl(config)

  const find = (ownerId: string, db: Database | Transaction = database) =>
    NotificationWebhook.query(db).findOne({ ownerId })

  /** Earlier notifications were not posted, so they are not searched. */
  async function latestOf({ ownerId, createdAt }: NotificationWebhook): Promise<LatestPost | null> {
    const { rows } = await database.raw<{ rows: Omit<LatestPost, 'lastAttempt'>[] }>(latestStatement, {
      ownerId,
      since: firstIdAt(createdAt),
    })
    const [latest] = rows
    if (!latest) return null
    const attempts = CallbackAttempt.query(database).where({ callbackId: latest.id }).orderBy('attempt', 'desc')
    return { ...latest, lastAttempt: (await attempts.first()) ?? null }
  }

  async function get(ownerId: string): Promise<ShownWebhook> {
    const webhook = await find(ownerId)
    if (!webhook) return { url: null, createdAt: null, updatedAt: null, latest: null }
    const { url, createdAt, updatedAt } = webhook
    return { url, createdAt, updatedAt, latest: await latestOf(webhook) }
  }

  /** Returns the secret if it is new. Requests that are still pending go to the new address. */
  async function store(trx: Transaction, ownerId: string, url: string): Promise<string | null> {
    await lockOwner(trx, ownerId)
    const now = clock.now()
    const known = await find(ownerId, trx)
    await Callback.query(trx).where({ ownerId, status: 'pending' }).whereNull('runId').patch({ url })
    if (known) {
      await NotificationWebhook.query(trx).findById(known.id).patch({ url, updatedAt: now })
      return null
    }
    const [id, secret] = [newId(), newSecret()]
    const sealed = sealing.seal(secret, webhookSecretAt(id))
    await NotificationWebhook.query(trx).insert({ id, ownerId, url, secret: sealed, createdAt: now, updatedAt: now })
    return secret
  }

  return {
    get,

    /** Sets the address. The first one makes the secret, which is returned this once. INVALID_URL. */
    async set(ownerId: string, text: string): Promise<ShownWebhook & { secret: string | null }> {
      const url = readUrl(text)
      const secret = await database.transaction((trx) => store(trx, ownerId, url))
      return { ...(await get(ownerId)), secret }
    },

    /** Removes the address and its secret. Idempotent. Pending requests are given up at their next attempt. */
    remove: async (ownerId: string): Promise<void> =>
      void (await NotificationWebhook.query(database).where({ ownerId }).delete()),

    /** The states of the requests that post these notifications, by id. Those without a request are absent. */
    async statusesOf(ids: readonly string[]): Promise<Map<string, CallbackStatus>> {
      const posts = await Callback.query(database)
        .findByIds([...ids])
        .select('id', 'status')
      return new Map(posts.map(({ id, status }) => [id, status]))
    },

    /** The body that posts a notification, and the secret that signs it. undefined if there is no webhook any longer. */
    async contentOf({ id, ownerId }: Pick<Notification, 'id' | 'ownerId'>) {
      const webhook = await find(ownerId)
      const notification = await Notification.query(database).findById(id)
      if (!webhook || !notification) return undefined
      const secret = sealing.open(webhook.secret, webhookSecretAt(webhook.id))
      return { secret, body: bodyOf(notification, config.http.baseUrl) }
    },
  }
}

export type NotificationWebhooks = ReturnType<typeof createNotificationWebhooks>

const webhookSecretAt = (id: string) => ({ id, column: 'notification_webhooks.secret' })

/** A notification's content never changes, so each attempt sends the same body. */
function bodyOf(notification: Notification, baseUrl: string): string {
  const { id, ownerId, kind, subjectId, consolePage, title, message, createdAt } = notification
  const data = { id, ownerId, kind, subjectId, consoleUrl: `${baseUrl}${consolePage}`, title, message, createdAt }
  return writeJson({ type: `notification.${kind}`, timestamp: createdAt, data })
}

const latestStatement = `
  select c.id, c.status, c.attempts, c.next_at as "nextAt", c.ended_at as "endedAt"
    from notifications n join callbacks c on c.id = n.id
   where n.owner_id = :ownerId and n.id >= :since
   order by n.id desc limit 1`
