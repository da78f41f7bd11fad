import { howToGetMore } from '../billing/allowances.ts'
import { Agent } from '../agents/agent.ts'
import type { AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { paidWith } from '../owners/payer.ts'
import { VaultEntry } from '../vault/vault-entry.ts'

/** The things that the paying account receives. */
interface Incoming {
  targetId: string
  agents: readonly Pick<Agent, 'trigger'>[]
  entries: number
}

/**
 * Refuses things beyond the limits of the account that pays for the target: TIER_REQUIRED, AGENT_LIMIT_REACHED,
 * VAULT_LIMIT_REACHED. Call it with the paying user locked, as for creation.
 */
export async function assertLimits(
  trx: Transaction,
  standing: Pick<AccountStatus, 'tier' | 'limits' | 'features'>,
  { targetId, agents, entries }: Incoming,
): Promise<void> {
  const { limits } = standing
  if (agents.some(({ trigger }) => trigger === 'webhook')) requireFeature(standing, 'webhooks')
  if (agents.length > 0) {
    const count = await Agent.query(trx).whereNull('deletedAt').whereIn('ownerId', paidWith(targetId)).resultSize()
    const message = `The paying account already has ${count} agents, and its limit is ${limits.agents}. ${howToGetMore}`
    assertThat(count + agents.length <= limits.agents, 'AGENT_LIMIT_REACHED', { message })
  }
  if (entries > 0) {
    const count = await VaultEntry.query(trx).whereIn('ownerId', paidWith(targetId)).resultSize()
    const message = `The paying account already has ${count} sites, and its limit is ${limits.vaultSites}. ${howToGetMore}`
    assertThat(count + entries <= limits.vaultSites, 'VAULT_LIMIT_REACHED', { message })
  }
}
