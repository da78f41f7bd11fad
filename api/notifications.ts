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
        'What it is about: the vault entry (`credential_dead`, `manifest_changed`), otherwise the agent. It may be gone',
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
  summary: 'List what you must look at, newest first',
  description: 'Each is also mailed to the address of the account where the platform has a mail server.',
  query: v.strictObject({ ...paging, kind: v.optional(kind) }),
  status: 200,
  response: pageOf(notification),
  handle: ({ services, caller, query }) => services.notifications.list(caller.userId, query),
})
