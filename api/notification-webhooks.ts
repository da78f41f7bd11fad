import * as v from 'valibot'
import { shownUrl } from '../src/safe-fetch/shown-url.ts'
import { route } from './route/route.ts'
import { maySeeSecrets } from './schemas/agent-schema.ts'
import { callbackAttempt, callbackStatus } from './schemas/callback-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { exampleIds } from './schemas/example-ids.ts'
import { id, inWorkspace, ofOwner, text, time } from './schemas/schemas.ts'

const exampleUrl = 'https://hooks.example.com/switchyard'

const latest = named(
  'NotificationDelivery',
  v.object({
    id: field(id, 'Id of the notification, and `webhook-id` of every attempt', exampleIds.notification),
    status: callbackStatus,
    attempts: field(whole, 'Number of attempts so far', 1),
    nextAt: field(v.nullable(time), 'When a pending request will next be attempted', null),
    endedAt: field(v.nullable(time), 'When the notification was delivered or the platform gave up on it'),
    lastAttempt: field(v.nullable(callbackAttempt), 'Latest attempt with a known outcome. Null if there is none.'),
  }),
  'Request that posts a notification',
)

const shown = {
  url: field(
    v.nullable(v.string()),
    'URL that notifications are sent to. Null if there is no webhook. The query string is hidden from viewers and from API keys without the `write` scope.',
    exampleUrl,
  ),
  createdAt: field(v.nullable(time), 'When the webhook was created'),
  updatedAt: field(v.nullable(time), 'When the URL was last set'),
  latest: field(v.nullable(latest), 'Request for the latest notification. Null if there was none yet.'),
}
const webhook = named('NotificationWebhook', v.object(shown), 'Webhook for notifications')

const newSecret = field(
  v.nullable(v.string()),
  'Secret that signs the requests (Standard Webhooks). Shown only when the webhook is created, and null otherwise. To replace it, delete the webhook and create it again.',
  'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
)

const shared = { tag: 'notifications', access: 'account', path: '/notifications/webhook' } as const

export const getNotificationWebhook = route({
  ...shared,
  name: 'getNotificationWebhook',
  method: 'get',
  summary: 'Get the webhook for notifications',
  description: 'Includes the outcome of the latest request. See [Notifications](/docs/how-to/notifications).',
  status: 200,
  owner: 'query',
  query: v.strictObject(ofOwner),
  response: webhook,
  async handle({ services, caller, ownerId }) {
    const { url, ...more } = await services.notificationWebhooks.get(ownerId)
    return { ...more, url: url === null || maySeeSecrets(caller, { ownerId }) ? url : shownUrl(url) }
  },
})

export const setNotificationWebhook = route({
  ...shared,
  name: 'setNotificationWebhook',
  audit: { subject: 'notification_webhook' },
  look: ({ services, ownerId }) => services.notificationWebhooks.get(ownerId),
  method: 'put',
  summary: 'Set the webhook for notifications',
  description:
    'Every later notification is also sent to this public HTTPS URL, at least once, signed with the secret (Standard ' +
    'Webhooks), and retried for a day. Requests that are still pending go to the new URL. A notification that cannot ' +
    'be delivered does not cause another notification. See [Notifications](/docs/how-to/notifications).',
  status: 200,
  owner: 'body',
  body: v.strictObject({ ...inWorkspace, url: field(text(2048), 'Public HTTPS URL', exampleUrl) }),
  response: named('SetNotificationWebhook', v.object({ ...shown, secret: newSecret }), 'Webhook that was set'),
  codes: ['INVALID_URL'],
  handle: ({ services, ownerId, body }) => services.notificationWebhooks.set(ownerId, body.url),
})

export const removeNotificationWebhook = route({
  ...shared,
  name: 'removeNotificationWebhook',
  audit: { subject: 'notification_webhook' },
  look: ({ services, ownerId }) => services.notificationWebhooks.get(ownerId),
  method: 'delete',
  summary: 'Remove the webhook for notifications',
  description: 'Also deletes its secret. Pending requests are given up. Has no effect if there is no webhook.',
  whenClosed: true,
  status: 204,
  owner: 'query',
  query: v.strictObject(ofOwner),
  handle: ({ services, ownerId }) => services.notificationWebhooks.remove(ownerId),
})
