import * as v from 'valibot'
import { notificationKinds } from '../../src/notifications/notification.ts'
import { field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { id, ownerId, time } from './schemas.ts'

export const notificationKind = named(
  'NotificationKind',
  v.picklist(notificationKinds, `must be one of ${notificationKinds.join(', ')}`),
  'Subject of the notification',
)

/** The parts of a notification that never change. */
export const notificationContent = {
  id: idOf('notification'),
  ownerId,
  kind: notificationKind,
  subjectId: field(
    id,
    'Id of the item that the notification is about, such as the vault entry for `credential_dead` and `manifest_changed`, the approval for `approval_requested`, or the agent. This item might no longer exist.',
  ),
  title: field(v.string(), 'Title of the notification and subject of its email', 'Tracker must be reconnected'),
  message: field(v.string(), 'Text of the notification and of its email', 'The site no longer accepts the token.'),
  createdAt: time,
}

const posted = named(
  'PostedNotification',
  v.object({
    ...notificationContent,
    consoleUrl: field(
      v.string(),
      "URL of the console's page about the item",
      'https://switchyard.example.com/console/sites/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13',
    ),
  }),
  'Notification as it is posted',
)

/** The body of a request to the webhook for notifications. A test validates what is posted against this schema. */
export const notificationPosted = named(
  'NotificationPosted',
  v.object({
    type: named(
      'NotificationPostedType',
      v.picklist(notificationKinds.map((kind) => `notification.${kind}` as const)),
      'Event type, which depends on the kind of the notification',
    ),
    timestamp: field(time, 'When the notification was created'),
    data: posted,
  }),
  'Body of a request to the webhook for notifications',
)
