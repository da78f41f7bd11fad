import type { Agent } from '../../agents/agent.ts'
import { raiseOf, usedUpBy, type CapOf, type AccountStatus } from '../../billing/account-status.ts'
import type { Trigger } from '../../../workflows/messages.ts'
import type { BlockedCause } from '../agent-queue.ts'
import type { EndReason } from '../states.ts'

/** Block causes that an owner resolves by paying. */
export type Charge = Exclude<BlockedCause, 'paused'>

/** All charges that block a run with this trigger. */
export function chargesOf(
  account: Pick<AccountStatus, 'features' | 'subscription' | 'balance'>,
  trigger: Trigger,
): Charge[] {
  const missing: Charge[] = account.balance < 1 ? ['credits'] : []
  if (trigger === 'webhook' && account.subscription?.status === 'past_due') missing.unshift('past_due')
  if (!account.features.includes(featureOf[trigger])) missing.unshift('tier')
  return missing
}

/** The tier feature that each trigger needs. */
const featureOf = { manual: 'manual', scheduled: 'scheduled', webhook: 'webhooks' } as const

/**
 * Why an agent's next run may not start. The run stays queued and shows the cause, and the queue sleeps. Charges are
 * checked on acceptance and again here, because they may have changed. A workflow that waits for payment would need a
 * timer per owner, and somebody to signal it.
 */
export const blockOf = (
  agent: Pick<Agent, 'pausedAt'>,
  account: Parameters<typeof chargesOf>[0],
  trigger: Trigger,
): BlockedCause | null => (agent.pausedAt ? 'paused' : (chargesOf(account, trigger)[0] ?? null))

/** Whether a blocked run fails after a time. Runs of paused agents and runs beyond a cap wait until the block ends. */
export const isBlockBounded = (cause: BlockedCause, cap: CapOf | null): boolean =>
  cause !== 'paused' && (cause !== 'credits' || cap === null)

/** The end reason of a run that was blocked for too long. */
export const reasonOfBlock: Record<Charge, EndReason> = {
  tier: 'TIER_REQUIRED',
  past_due: 'SUBSCRIPTION_PAST_DUE',
  credits: 'NO_CREDITS',
}

/** The notification of a blocked queue, without the agent's name. For credits it names the cap, if any. */
export const messageOfBlock = (cause: Charge, cap: CapOf | null): string =>
  cause === 'credits' && cap !== null ? `${usedUpBy(cap)} ${raiseOf[cap]}` : messages[cause]

const messages: Record<Charge, string> = {
  tier: 'Your tier no longer includes this kind of agent, or it no longer includes workspaces. The owner can upgrade with POST /billing/subscription.',
  past_due: 'Your subscription payment is overdue. Pay it with POST /billing/subscription.',
  credits:
    'You have no credits left. Subscribe to a higher tier with POST /billing/subscription, or wait until next month.',
}
