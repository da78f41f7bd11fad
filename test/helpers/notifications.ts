import { newId } from '../../src/ids.ts'
import type { Notification } from '../../src/notifications/notification.ts'
import type { Platform } from './platform.ts'

export async function notificationOf({ services }: Pick<Platform, 'services'>, ownerId: string): Promise<Notification> {
  const what = {
    kind: 'agent_failing',
    consolePage: '/console',
    title: 'An agent fails',
    message: 'It fails.',
  } as const
  await services.database.transaction((trx) =>
    services.notifications.notify(trx, { ownerId, subjectId: newId(), key: newId(), ...what }),
  )
  const [newest] = (await services.notifications.list(ownerId, { limit: 1 })).items
  return newest as Notification
}
