import * as v from 'valibot'
import { notificationKinds } from '../src/notifications/notification.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, ownerId, pageOf, pagingOfOwner, time } from './schemas/schemas.ts'

const kind = named(
  'NotificationKind',
  v.picklist(notificationKinds, `must be one of ${notificationKinds.join(', ')}`),
  'What it is about',
)
const fields = v.object({
  id,
  ownerId,
  kind,
  subjectId: field(
    id,
    'The vault entry (`credential_dead`, `manifest_changed`), the approval (`approval_requested`) or the agent that it is about; it may no longer exist',
  ),
  title: field(v.string(), 'One line', 'Tracker must be reconnected'),
  message: field(v.string(), 'The text of the mail', 'The site does not accept the token any more.'),
  createdAt: time,
})
const notification = named('Notification', fields, 'Something that an owner has to look at')

export const listNotifications = route({
  tag: 'notifications',
  access: 'account',
  name: 'listNotifications',
  method: 'get',
  path: '/notifications',
  summary: 'List notifications, newest first',
  description: "Each is also mailed to the account's address if the platform has a mail server.",
  owner: 'query',
  query: v.strictObject({ ...pagingOfOwner, kind: v.optional(kind) }),
  status: 200,
  response: pageOf(notification),
  handle: ({ services, ownerId, query }) => services.notifications.list(ownerId, query),
})
