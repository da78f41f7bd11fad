import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import { requireCredits, requirePaidSubscription, type AccountStatus } from '../../billing/account-status.ts'
import { requireFeature } from '../../billing/tiers.ts'
import type { Run } from '../run.ts'

/** A replay needs the same of the paying account as the run it replays. */
export function createReplayable({ billing }: { billing: Billing }) {
  return {
    /** Fails with TIER_REQUIRED, SUBSCRIPTION_PAST_DUE, NO_CREDITS, FEATURE_LIMIT_REACHED (no room). */
    async assertReplayable(agent: Agent, trigger: Run['trigger']): Promise<AccountStatus> {
      const standing = await billing.accountFor(agent)
      if (trigger === 'webhook') requireFeature(standing, 'webhooks')
      if (trigger === 'webhook') requirePaidSubscription(standing)
      requireCredits(standing)
      await billing.storedBytes.assertStorageLimit(agent.ownerId, standing)
      return standing
    },
  }
}

export type AssertReplayable = ReturnType<typeof createReplayable>['assertReplayable']
