import * as v from 'valibot'
import { notificationKinds } from '../src/notifications/notification.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const kind = v.picklist(notificationKinds, `must be one of ${notificationKinds.join(', ')}`)
const notification = v.object({
  id,
  kind,
  subjectId: v.pipe(
    v.string(),
    v.metadata({
      description:
        'The vault entry (`credential_dead`, `manifest_changed`) or the agent that it is about; it may no longer exist',
    }),
  ),
  title: v.string(),
  message: v.string(),
  createdAt: time,
})

export const listNotifications = route({
  tag: 'notifications',
  access: 'account',
  name: 'listNotifications',
  method: 'get',
  path: '/notifications',
  summary: 'List notifications, newest first',
  description: "Each is also mailed to the account's address if the platform has a mail server.",
  query: v.strictObject({ ...paging, kind: v.optional(kind) }),
  status: 200,
  response: pageOf(notification),
  handle: ({ services, caller, query }) => services.notifications.list(caller.userId, query),
})
