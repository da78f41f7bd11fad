import { howToGetMore } from '../billing/allowances.ts'
import type { AccountStatus } from '../billing/account-status.ts'
import { lacksFeature, type Limits } from '../billing/tiers.ts'
import type { Transaction } from '../database/database.ts'
import { assertThat, type ErrorCode } from '../errors.ts'

/** The account's totals with the workspace, by the limit that counts them. */
const counted = [
  ['workspaces', 'workspaces', 'FEATURE_LIMIT_REACHED'],
  ['agents', 'agents', 'AGENT_LIMIT_REACHED'],
  ['vaultSites', 'sites in the vault', 'VAULT_LIMIT_REACHED'],
  ['apiKeys', 'API keys', 'FEATURE_LIMIT_REACHED'],
] as const satisfies [keyof Limits, string, ErrorCode][]

type Counts = Record<(typeof counted)[number][0] | 'workspaceMembers', number>

/**
 * Refuses a workspace that exceeds the new owner's limits: WORKSPACE_REQUIRED (the tier), FEATURE_LIMIT_REACHED,
 * AGENT_LIMIT_REACHED, VAULT_LIMIT_REACHED. Call it with that user locked.
 */
export async function assertTransferLimits(
  trx: Transaction,
  { tier, features, limits }: Pick<AccountStatus, 'tier' | 'features' | 'limits'>,
  of: { workspaceId: string; userId: string; now: Date },
): Promise<void> {
  assertThat(features.includes('workspaces'), 'WORKSPACE_REQUIRED', { message: lacksFeature(tier, 'workspaces') })
  const { rows } = await trx.raw<{ rows: [Counts] }>(countStatement, { ...of })
  const [counts] = rows
  for (const [limit, words, code] of counted) {
    const message = `With this workspace, your account would have ${counts[limit]} ${words}, but its limit is ${limits[limit]}. ${howToGetMore}`
    assertThat(counts[limit] <= limits[limit], code, { message })
  }
  const message = `The workspace has ${counts.workspaceMembers} members, but your limit is ${limits.workspaceMembers} for each workspace. ${howToGetMore}`
  assertThat(counts.workspaceMembers <= limits.workspaceMembers, 'FEATURE_LIMIT_REACHED', { message })
}

/** Invitations are counted at acceptance. */
const countStatement = `
  with places as (
    select :userId::uuid as id union select id from workspaces where payer_id = :userId or id = :workspaceId)
  select (select count(*) from workspaces w join places p on p.id = w.id where w.deleted_at is null) as workspaces,
         (select count(*) from agents where owner_id in (select id from places) and deleted_at is null) as agents,
         (select count(*) from vault_entries where owner_id in (select id from places)) as "vaultSites",
         (select count(*) from api_keys
           where revoked_at is null and (expires_at is null or expires_at > :now)
             and coalesce(workspace_id, user_id) in (select id from places)) as "apiKeys",
         (select count(*) from members where workspace_id = :workspaceId) as "workspaceMembers"`
