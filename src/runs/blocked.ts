import type { Agent } from '../agents/agent.ts'
import type { Account } from '../billing/account.ts'
import type { Trigger } from '../../workflows/messages.ts'
import type { BlockedCause } from './agent-queue.ts'
import type { EndReason } from './states.ts'

/**
 * What keeps an agent's next run from being started (decisions, "Webhooks, exactly", last paragraph): the run stays
 * queued and says so. What an owner pays for is looked at when a delivery is accepted, and again here, because it may
 * have changed since.
 */
export function blockOf(
  agent: Pick<Agent, 'pausedAt'>,
  account: Pick<Account, 'features' | 'subscription' | 'balance'>,
  trigger: Trigger,
): BlockedCause | null {
  if (agent.pausedAt) return 'paused'
  if (trigger === 'webhook' && !account.features.includes('webhooks')) return 'tier'
  if (trigger === 'webhook' && account.subscription?.status === 'past_due') return 'past_due'
  return account.balance < 1 ? 'credits' : null
}

/** How a run fails that was blocked for too long; a paused agent's runs wait for as long as it is paused. */
export const reasonOfBlock: Record<Exclude<BlockedCause, 'paused'>, EndReason> = {
  tier: 'TIER_REQUIRED',
  past_due: 'SUBSCRIPTION_PAST_DUE',
  credits: 'NO_CREDITS',
}

/** What the owner is told of a queue that has stopped, besides the agent's name. */
export const tellingOfBlock: Record<Exclude<BlockedCause, 'paused'>, string> = {
  tier: 'Your tier does not include webhooks any more. Raise it with POST /billing/subscription.',
  past_due: 'Your subscription payment is overdue. Pay it with POST /billing/subscription.',
  credits:
    'Your credits are used up. Subscribe to a higher tier with POST /billing/subscription, or wait for the month to end.',
}
