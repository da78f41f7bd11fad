import type { NotificationKind } from '../../src/notifications/notification.ts'

/** When a notification of each kind is sent. */
export const notificationMeanings: Record<NotificationKind, string> = {
  credential_dead: 'A site no longer accepts your credentials. Reconnect it.',
  manifest_changed: 'A connected site has changed its manifest.',
  queue_blocked: "An agent's runs are waiting until you pay or get credits.",
  agent_failing: "An agent's run failed. You will not be notified of further failures until one of its runs completes.",
  agent_paused: 'An agent is paused because its model was unavailable for too long.',
  agent_silent:
    'The usual deliveries of an agent do not come. You will not be notified again until a delivery has arrived.',
  model_outage: 'Runs are waiting for a model that is unavailable.',
  schedule_missed: 'A schedule missed one or more runs.',
  callback_failed:
    'A callback could not be delivered and is no longer retried. You are notified at most once a day for each agent.',
  approval_requested: 'A tool call is waiting for your approval.',
  limits_exceeded: 'Your account is over its limits. The newest items are suspended until there is room.',
  top_up_off: 'Credits are no longer bought automatically.',
  subscription_past_due: 'A subscription payment is overdue.',
  subscription_ended: 'Your subscription has ended because an overdue payment was not made.',
  workspace_offered: 'The owner of a workspace wants to transfer it to you.',
  workspace_handed_over: 'A workspace has a new owner.',
  restored: 'The platform was restored from a backup. Agents that had unfinished runs are paused until you decide.',
}
