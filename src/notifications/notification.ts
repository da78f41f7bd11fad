import { Row } from '../database/row.ts'

export const notificationKinds = [
  'credential_dead',
  'manifest_changed',
  'queue_blocked',
  'agent_failing',
  'agent_paused',
  'agent_silent',
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
  'restored',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** Something that needs an owner's attention (table `notifications`). Only its mail state and its reader change. */
export class Notification extends Row {
  static override tableName = 'notifications'
  declare id: string
  declare ownerId: string
  declare kind: NotificationKind
  /** The subject's id; the subject itself may be deleted. */
  declare subjectId: string
  /** Names the state of the subject. The owner gets one notification per state. */
  declare dedupeKey: string
  /** The console's page about it, as a path below BASE_URL. */
  declare consolePage: string
  /** One line. */
  declare title: string
  /** Plain text; lines end in `\n`. */
  declare message: string
  declare createdAt: Date
  /** `none`: there was no mail server when it was made. `failed`: given up. */
  declare mailStatus: 'none' | 'pending' | 'sent' | 'failed'
  declare mailAttempts: number
  /** When a pending mail is tried next. */
  declare mailNextAt: Date | null
  declare mailedAt: Date | null
  /** Applies to all members of the owner. */
  declare readAt: Date | null
  declare readBy: string | null
}
