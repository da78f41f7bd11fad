import type { Agent } from '../../agents/agent.ts'
import type { Standing } from '../../billing/standing.ts'
import type { Trigger } from '../../../workflows/messages.ts'
import type { BlockedCause } from '../agent-queue.ts'
import type { EndReason } from '../states.ts'

/** What an owner has to pay for before a run may start. */
export type Charge = Exclude<BlockedCause, 'paused'>

/** Everything of it that is missing for a run of this trigger. */
export function chargesOf(
  account: Pick<Standing, 'features' | 'subscription' | 'balance'>,
  trigger: Trigger,
): Charge[] {
  const missing: Charge[] = account.balance < 1 ? ['credits'] : []
  if (trigger !== 'webhook') return missing
  if (account.subscription?.status === 'past_due') missing.unshift('past_due')
  if (!account.features.includes('webhooks')) missing.unshift('tier')
  return missing
}

/**
 * What keeps an agent's next run from being started (docs/decisions/0020): the run stays queued and says so. What an
 * owner pays for is looked at when a delivery is accepted, and again here, because it may have changed since.
 */
export const blockOf = (
  agent: Pick<Agent, 'pausedAt'>,
  account: Parameters<typeof chargesOf>[0],
  trigger: Trigger,
): BlockedCause | null => (agent.pausedAt ? 'paused' : (chargesOf(account, trigger)[0] ?? null))

/** How a run fails that was blocked for too long; a paused agent's runs wait for as long as it is paused. */
export const reasonOfBlock: Record<Charge, EndReason> = {
  tier: 'TIER_REQUIRED',
  past_due: 'SUBSCRIPTION_PAST_DUE',
  credits: 'NO_CREDITS',
}

/** What the owner is told of a queue that has stopped, besides the agent's name. */
export const tellingOfBlock: Record<Charge, string> = {
  tier: 'Your tier does not include webhooks any more. Raise it with POST /billing/subscription.',
  past_due: 'Your subscription payment is overdue. Pay it with POST /billing/subscription.',
  credits:
    'Your credits are used up. Subscribe to a higher tier with POST /billing/subscription, or wait for the month to end.',
}
