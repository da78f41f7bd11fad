import { Row } from '../database/row.ts'

export const notificationKinds = [
  'credential_dead',
  'manifest_changed',
  'queue_blocked',
  'agent_failing',
  'agent_paused',
  'model_outage',
  'schedule_missed',
  'callback_failed',
  'approval_requested',
  'limits_exceeded',
  'top_up_off',
  'subscription_past_due',
  'subscription_ended',
  'workspace_offered',
  'workspace_handed_over',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** Something that an owner must look at (table `notifications`). Only the state of its mail changes, and who has read it. */
export class Notification extends Row {
  static override tableName = 'notifications'
  declare id: string
  declare ownerId: string
  declare kind: NotificationKind
  /** The identifier of what it is about; the thing itself may be gone. */
  declare subjectId: string
  /** Which state of the subject it is about; an owner is notified of each once. */
  declare dedupeKey: string
  /** One line. */
  declare title: string
  /** Plain text; lines end in `\n`. */
  declare message: string
  declare createdAt: Date
  /** `none`: there was no mail server when it was made. `failed`: given up. */
  declare mailStatus: 'none' | 'pending' | 'sent' | 'failed'
  declare mailAttempts: number
  /** When a pending one is tried next. */
  declare mailNextAt: Date | null
  declare mailedAt: Date | null
  /** It is read for everybody of its owner. */
  declare readAt: Date | null
  declare readBy: string | null
}
