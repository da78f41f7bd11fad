import type { NotificationKind } from '../../src/notifications/notification.ts'

/** When a notification of each kind is sent. */
export const notificationMeanings: Record<NotificationKind, string> = {
  credential_dead: 'A site no longer accepts your credentials. Reconnect it.',
  manifest_changed: 'A connected site has changed its manifest.',
  queue_blocked: 'Runs of an agent wait until you pay or get credits.',
  agent_failing: 'A run of an agent failed. You hear of the next failure only after a run has completed.',
  agent_paused: 'An agent is paused because its model could not be used for too long.',
  model_outage: 'Runs wait for a model that cannot be used.',
  schedule_missed: 'A schedule missed one or more of its times.',
  callback_failed:
    'A callback could not be delivered and is no longer retried. You hear of this once a day for each agent.',
  approval_requested: 'A tool call waits for your approval.',
  limits_exceeded: 'You have more than your account may have. The newest items rest until there is room.',
  top_up_off: 'Credits are no longer bought automatically.',
  subscription_past_due: 'A subscription payment is overdue.',
  subscription_ended: 'Your subscription has ended because its payment stayed overdue.',
  workspace_offered: 'The owner of a workspace wants to hand it over to you.',
  workspace_handed_over: 'A workspace has a new owner.',
}
