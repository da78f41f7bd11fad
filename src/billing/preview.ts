import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Account } from './account.ts'
import type { Allowances } from './allowances.ts'
import type { Credits } from './credits.ts'
import type { When } from './gateways/gateway.ts'
import { planFor } from './plan.ts'
import { countable, rowsOverLimit } from './rows-over-limit.ts'
import { timeOf } from './account-status.ts'
import { isPaidTier, tierOf, type Feature, type TierName } from './tiers.ts'

const mostNamed = 100

const kinds = { agents: 'agents', vault_entries: 'vaultSites', api_keys: 'apiKeys', workspaces: 'workspaces' } as const
type Kind = (typeof kinds)[keyof typeof kinds]
export const previewedKinds: readonly Kind[] = Object.values(kinds)

/** A thing beyond the limits of a tier. */
interface Exceeding {
  kind: Kind
  id: string
  name: string
}

/** The effects of a change of tier. */
export interface Preview {
  tier: TierName
  at: When
  effectiveAt: Date
  /** US cents to charge now; null if only the payment provider knows. */
  cents: number | null
  centsPerMonth: number
  lostFeatures: Feature[]
  exceeding: Record<Kind, number>
  /** Newest first. */
  resting: Exceeding[]
}

/** Computes the effects of a change of tier without making it. */
export function createPreview(context: {
  database: Database
  clock: Clock
  allowances: Allowances
  credits: Pick<Credits, 'current'>
}) {
  const { database, clock, allowances, credits } = context

  async function countOf(bindings: Record<string, unknown>) {
    const { rows } = await database.raw<{ rows: (Exceeding & { count: number })[] }>(statement, { ...bindings })
    const exceeding = { agents: 0, vaultSites: 0, apiKeys: 0, workspaces: 0 }
    for (const { kind, count } of rows) exceeding[kind] = count
    return { exceeding, resting: rows.map(({ kind, id, name }) => ({ kind, id, name })) }
  }

  return async (ownerId: string, { tier, when }: { tier: TierName; when?: When | undefined }): Promise<Preview> => {
    const account = await credits.current(ownerId)
    const now = timeOf(account, clock.now())
    const { at, cents } = changeTo(account, tier, when)
    const { givenTier, limits: own } = account
    const [before, after] = [allowances.of(account), allowances.of({ tier, givenTier, limits: own })]
    const { agents, vaultSites, apiKeys, workspaces } = after.limits
    const limits = {
      agents: countable(agents),
      vaultSites: countable(vaultSites),
      apiKeys: countable(apiKeys),
      workspaces: after.features.includes('workspaces') ? countable(workspaces) : 0,
    }
    return {
      tier,
      at,
      effectiveAt: at === 'period_end' ? (account.currentPeriodEnd ?? now) : now,
      cents,
      centsPerMonth: tierOf(tier).centsPerMonth,
      lostFeatures: before.features.filter((feature) => !after.features.includes(feature)),
      ...(await countOf({ ownerId, now: clock.now(), most: mostNamed, ...limits })),
    }
  }
}

/** When the change would apply, and the charge now. */
export function changeTo(
  account: Pick<Account, 'subscription' | 'subscriptionStatus' | 'tier' | 'nextTier' | 'creditCents'>,
  tier: TierName,
  when?: When,
): { at: When; cents: number | null } {
  const { subscription, subscriptionStatus, creditCents } = account
  const endsNow = subscription === null || subscriptionStatus === 'past_due'
  if (!isPaidTier(tier)) return { at: endsNow ? 'now' : (when ?? 'period_end'), cents: 0 }
  const asked = planFor(account, tier, when)
  if (asked === null || asked.action === 'keep') return { at: account.tier === tier ? 'now' : 'period_end', cents: 0 }
  if (asked.action === 'subscribe') return { at: 'now', cents: Math.max(0, tierOf(tier).centsPerMonth - creditCents) }
  // A change now costs the price minus the rest of the month, and only the payment provider knows what is overdue.
  return asked.at === 'period_end' ? { at: 'period_end', cents: 0 } : { at: 'now', cents: null }
}

/** Counts all of each kind, and names the newest. */
const statement = `
  with things as (
    ${Object.entries(kinds)
      .map(
        ([table, kind]) =>
          `select '${kind}' as kind, id, name, created_at from (${rowsOverLimit(table as keyof typeof kinds, `:${kind}`)}) r where exceeds`,
      )
      .join('\n union all ')}
  ), counted as (
    select *, count(*) over (partition by kind) as count,
           row_number() over (partition by kind order by created_at desc, id desc) as nth
      from things
  )
  select kind, id, name, count from counted where nth <= :most order by kind, nth`
