import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import { tierOf, type TierName } from './tiers.ts'

/** How much of each exceeds the limits of the tier. It is kept, and rests until there is room. */
export interface Exceeding {
  agents: number
  vaultSites: number
  apiKeys: number
  /** Those that the tier does not include are closed. */
  workspaces: number
}

/**
 * Fits what an account has to the limits of its tier: what is older stays, what is newer rests, and goes on by itself when
 * a higher tier or a deletion makes room.
 */
export function createExceeding(context: {
  database: Database
  clock: Clock
  due: Due
  agents: Pick<Agents, 'rest'>
  notifications: Pick<Notifications, 'notify'>
}) {
  const { database, clock, due, agents, notifications } = context

  /** Each agent by itself, under the locks that agents need: so no account is locked meanwhile. */
  async function fitAgents(ownerId: string, limit: number): Promise<void> {
    const found = await database.raw<{ rows: Ranked[] }>(agentsStatement, { ownerId, limit })
    for (const { id, ownerId: of, exceeds } of found.rows) await agents.rest({ id, ownerId: of }, exceeds)
  }

  async function fitEntries(ownerId: string, limit: number): Promise<void> {
    const bindings = { ownerId, limit, now: clock.now() }
    const { rows } = await database.raw<{ rows: { id: string }[] }>(entriesStatement, bindings)
    // Runs may have waited for these sites.
    if (rows.length > 0) await database.transaction((trx) => due.owner(trx, ownerId))
  }

  const countOf = async (ownerId: string): Promise<Exceeding> => {
    const { rows } = await database.raw<{ rows: [Exceeding] }>(countStatement, { ownerId, now: clock.now() })
    return rows[0]
  }

  async function tell(ownerId: string, tier: TierName, counts: Exceeding): Promise<void> {
    const named = parts.flatMap(([what, one, many]) => {
      const count = counts[what]
      return count > 0 ? [`${count} ${count === 1 ? one : many}`] : []
    })
    await database.transaction((trx) =>
      notifications.notify(trx, {
        ownerId,
        kind: 'limits_exceeded',
        subjectId: ownerId,
        key: `${tier} ${clock.now().toISOString()}`,
        title: `Your tier, ${tier}, allows less than you have`,
        message: `Nothing was deleted, but this rests, the newest first: ${named.join('; ')}. It goes on by itself when there is room: delete what you do not need, or choose a higher tier with POST /billing/subscription.`,
      }),
    )
  }

  /** Fits an account to its tier, unless that was done. Killed at any moment, it can be repeated. */
  async function fit(ownerId: string): Promise<void> {
    const account = await Account.query(database).findById(ownerId)
    if (!account || account.fittedTier === account.tier) return
    const { tier } = account
    const { limits, features } = tierOf(tier)
    await fitAgents(ownerId, rows(limits.agents))
    await fitEntries(ownerId, rows(limits.vaultSites))
    await database.raw(keysStatement, { ownerId, limit: rows(limits.apiKeys), now: clock.now() })
    const found = await countOf(ownerId)
    const counts = { ...found, workspaces: features.includes('workspaces') ? 0 : found.workspaces }
    const exceeds = Object.values(counts).some((count) => count > 0)
    if (exceeds && !account.exceeds) await tell(ownerId, tier, counts)
    await Account.query(database).findById(ownerId).where({ tier }).patch({ fittedTier: tier, exceeds })
  }

  return {
    fit,

    /** What exceeds the limits now. */
    async of(ownerId: string): Promise<Exceeding> {
      const account = await Account.query(database).findById(ownerId)
      const counts = await countOf(ownerId)
      const allowed = tierOf(account?.tier ?? 'free').limits.workspaces
      return { ...counts, workspaces: Math.max(0, counts.workspaces - allowed) }
    },
  }
}

/** What rests, in the words of a notification: one, and several. */
const parts = [
  ['agents', 'agent is paused', 'agents are paused'],
  ['vaultSites', 'site of the vault is not called', 'sites of the vault are not called'],
  ['apiKeys', 'API key is refused', 'API keys are refused'],
  ['workspaces', 'workspace is closed', 'workspaces are closed'],
] as const satisfies [keyof Exceeding, string, string][]

export type Exceedings = ReturnType<typeof createExceeding>

interface Ranked {
  id: string
  ownerId: string
  exceeds: boolean
}

/** SQL has no Infinity for integers. */
const rows = (limit: number): number => (Number.isFinite(limit) ? limit : 2_000_000_000)

/** The account's own owner, and the workspaces that it pays for. */
const owners = '(select :ownerId::uuid union all select id from workspaces where payer_id = :ownerId)'

/** Those whose state is not what it has to be. */
const agentsStatement = `
  with ranked as (
    select id, owner_id, exceeding_since, row_number() over (order by created_at, id) > :limit as exceeds
      from agents where owner_id in ${owners} and deleted_at is null)
  select id, owner_id as "ownerId", exceeds from ranked where exceeds <> (exceeding_since is not null) order by id`

const fitStatement = (table: string, found: string) => `
  with ranked as (
    select id, row_number() over (order by created_at, id) > :limit as exceeds from ${table} where ${found})
  update ${table} t set exceeding_since = case when r.exceeds then :now::timestamptz end
    from ranked r where r.id = t.id and r.exceeds <> (t.exceeding_since is not null)
  returning t.id`

const entriesStatement = fitStatement('vault_entries', `owner_id in ${owners}`)

const keysOf = `
  revoked_at is null and (expires_at is null or expires_at > :now)
    and (workspace_id in ${owners} or (workspace_id is null and user_id = :ownerId))`
const keysStatement = fitStatement('api_keys', keysOf)

const resting = 'exceeding_since is not null'
const countStatement = `
  select (select count(*) from agents where owner_id in ${owners} and deleted_at is null and ${resting}) as agents,
         (select count(*) from vault_entries where owner_id in ${owners} and ${resting}) as "vaultSites",
         (select count(*) from api_keys where ${keysOf} and ${resting}) as "apiKeys",
         (select count(*) from workspaces where payer_id = :ownerId and deleted_at is null) as workspaces`
