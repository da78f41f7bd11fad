import type { Agent } from '../../agents/agent.ts'
import { raiseOf, usedUpBy, type CapOf, type AccountStatus } from '../../billing/account-status.ts'
import type { Trigger } from '../../../workflows/messages.ts'
import type { BlockedCause } from '../agent-queue.ts'
import type { EndReason } from '../states.ts'

/** What an owner has to pay for before a run may start. */
export type Charge = Exclude<BlockedCause, 'paused'>

/** All charges that block a run of this trigger. */
export function chargesOf(
  account: Pick<AccountStatus, 'features' | 'subscription' | 'balance'>,
  trigger: Trigger,
): Charge[] {
  const missing: Charge[] = account.balance < 1 ? ['credits'] : []
  if (trigger === 'webhook' && account.subscription?.status === 'past_due') missing.unshift('past_due')
  if (!account.features.includes(featureOf[trigger])) missing.unshift('tier')
  return missing
}

/** What a tier must include for runs of each trigger. */
const featureOf = { manual: 'manual', scheduled: 'scheduled', webhook: 'webhooks' } as const

/**
 * Why an agent's next run may not start; the run stays queued and shows the cause, and the queue sleeps. The charges are
 * checked when a delivery is accepted, and again here, because they may have changed since. A workflow that waited for a
 * payment would be a timer per owner, which somebody would have to signal.
 */
export const blockOf = (
  agent: Pick<Agent, 'pausedAt'>,
  account: Parameters<typeof chargesOf>[0],
  trigger: Trigger,
): BlockedCause | null => (agent.pausedAt ? 'paused' : (chargesOf(account, trigger)[0] ?? null))

/** Whether a run that is blocked fails after a time. A paused agent's runs and those beyond a cap wait until that ends. */
export const isBlockBounded = (cause: BlockedCause, cap: CapOf | null): boolean =>
  cause !== 'paused' && (cause !== 'credits' || cap === null)

/** Why a run fails that was blocked for too long. */
export const reasonOfBlock: Record<Charge, EndReason> = {
  tier: 'TIER_REQUIRED',
  past_due: 'SUBSCRIPTION_PAST_DUE',
  credits: 'NO_CREDITS',
}

/** The notification of a blocked queue, without the agent's name; of credits it names the cap, if it is one. */
export const messageOfBlock = (cause: Charge, cap: CapOf | null): string =>
  cause === 'credits' && cap !== null ? `${usedUpBy(cap)} ${raiseOf[cap]}` : messages[cause]

const messages: Record<Charge, string> = {
  tier: 'Your tier no longer includes this kind of agent, or workspaces. The owner can upgrade with POST /billing/subscription.',
  past_due: 'Your subscription payment is overdue. Pay it with POST /billing/subscription.',
  credits:
    'You have no credits left. Subscribe to a higher tier with POST /billing/subscription, or wait until next month.',
}
