import * as audit from '../../../api/audit.ts'
import * as notifications from '../../../api/notifications.ts'
import { newId } from '../../../src/ids.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function notificationsTable({ owner, params }: Stage, { ask }: Recorder): Table {
  const { notificationId = '' } = params
  const mark = (id: string) =>
    ask(owner, notifications.markNotification, { params: { notificationId: id }, body: { read: true } })
  return {
    listAudit: { done: () => ask(owner, audit.listAudit) },
    listNotifications: { done: () => ask(owner, notifications.listNotifications) },
    markNotification: { done: () => mark(notificationId), NOT_FOUND: () => mark(newId()) },
    markNotifications: {
      done: () => ask(owner, notifications.markNotifications, { body: { upTo: notificationId } }),
    },
  }
}
