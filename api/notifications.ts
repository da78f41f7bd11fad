import * as v from 'valibot'
import type { Notification } from '../src/notifications/notification.ts'
import { fieldsOf } from '../src/database/row.ts'
import { ownersIn } from '../src/owners/reach.ts'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import { route } from './route/route.ts'
import { callbackStatus } from './schemas/callback-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { notificationContent, notificationKind as kind } from './schemas/notification-posted-schema.ts'
import { id, inWorkspace, pageOf, pagingOfOwner, text, time } from './schemas/schemas.ts'

const fields = v.object({
  ...notificationContent,
  consolePage: field(
    v.string(),
    "The console's page about the item, as a path on this platform",
    '/console/runs/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a22',
  ),
  readAt: field(
    v.nullable(time),
    'When the notification was marked as read. In a workspace, this applies to all members.',
    null,
  ),
  readBy: field(v.nullable(id), 'User who marked the notification as read', null),
  webhookStatus: field(
    v.nullable(callbackStatus),
    'Whether the notification reached the webhook. `failed`: given up after a day. Null if there was no webhook.',
    null,
  ),
})
const notification = named('Notification', fields, "Something that needs the owner's attention")

type Named = { services: Services; caller: Pick<Caller, 'reach'>; params: { notificationId: string } }
const resource = ({ services, caller, params }: Named) =>
  services.notifications.get(ownersIn(caller.reach), params.notificationId)

async function present({ notificationWebhooks }: Services, rows: readonly Notification[]) {
  const statuses = await notificationWebhooks.statusesOf(rows.map((row) => row.id))
  return rows.map((row) => ({ ...fieldsOf(row), webhookStatus: statuses.get(row.id) ?? null }))
}

const unreadOnly = named(
  'UnreadOnly',
  v.picklist(['true', 'false'], 'must be true or false'),
  'Whether to list only unread notifications',
)
const exampleId = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a22'

const shared = { tag: 'notifications', access: 'account', status: 200 } as const
const ofReaders = { needs: 'use', audit: { not: 'The notification records who has read it.' } } as const

export const listNotifications = route({
  ...shared,
  name: 'listNotifications',
  method: 'get',
  path: '/notifications',
  summary: 'List notifications',
  description:
    'Newest first. If the platform has a mail server, each notification is also emailed to the account. It is also ' +
    'sent to the webhook, if you have set one. See ' +
    '[Notifications](/docs/how-to/notifications).',
  owner: 'query',
  query: v.strictObject({ ...pagingOfOwner, kind: v.optional(kind), unread: v.optional(unreadOnly, 'false') }),
  response: pageOf(notification),
  async handle({ services, ownerId, query }) {
    const page = await services.notifications.list(ownerId, { ...query, unread: query.unread === 'true' })
    return { ...page, items: await present(services, page.items) }
  },
})

export const markNotification = route({
  ...shared,
  ...ofReaders,
  name: 'markNotification',
  method: 'patch',
  path: '/notifications/{notificationId}',
  summary: 'Mark a notification as read or unread',
  description: 'In a workspace, this applies to all members.',
  body: v.strictObject({ read: field(v.boolean('must be true or false'), 'Whether the notification is read', true) }),
  response: notification,
  resource,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, resource, body }) {
    const [marked] = await present(services, [await services.notifications.mark(resource, body.read, caller.userId)])
    return marked
  },
})

export const markNotifications = route({
  ...shared,
  ...ofReaders,
  name: 'markNotifications',
  method: 'post',
  path: '/notifications/read',
  summary: 'Mark notifications as read',
  description:
    'Marks the notification `upTo` and all older notifications for the same owner as read. Newer ones stay unread.',
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    upTo: field(v.pipe(text(64), v.uuid('must be a UUID')), 'Newest notification you have seen', exampleId),
  }),
  response: named(
    'MarkedNotifications',
    v.object({ count: field(whole, 'Number of notifications that were unread', 3) }),
    'Result of marking notifications',
  ),
  handle: async ({ services, caller, ownerId, body }) => ({
    count: await services.notifications.markAll(ownerId, body.upTo, caller.userId),
  }),
})
