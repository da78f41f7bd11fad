import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Account } from './account.ts'
import type { Allowances } from './allowances.ts'
import { countable, counted, rowsOverLimit } from './rows-over-limit.ts'
import { User } from '../users/user.ts'

/** How much of each exceeds the limits of the tier. It is kept, and rests until there is room. */
export interface Exceeding {
  agents: number
  vaultSites: number
  apiKeys: number
  /** Those that the tier does not include are closed. */
  workspaces: number
}

/**
 * Fits what an account has to the limits of its tier: what is older stays, what is newer rests, and continues by itself when
 * a higher tier or a deletion makes room.
 */
export function createFitToLimits(context: {
  database: Database
  clock: Clock
  allowances: Allowances
  config: Pick<Config, 'billing'>
  agents: Pick<Agents, 'rest'>
  notifications: Pick<Notifications, 'notify'>
}) {
  const { database, clock, allowances, config, agents, notifications } = context
  const isOff = config.billing.mode === 'off'

  /** Each agent separately, under the locks that agents need: so no account is locked in the meantime. */
  async function fitAgents(ownerId: string, limit: number): Promise<void> {
    const found = await database.raw<{ rows: Ranked[] }>(agentsStatement, { ownerId, limit })
    for (const { id, ownerId: of, exceeds } of found.rows) await agents.rest({ id, ownerId: of }, exceeds)
  }

  const countOf = async (ownerId: string): Promise<Exceeding> => {
    const { rows } = await database.raw<{ rows: [Exceeding] }>(countStatement, { ownerId, now: clock.now() })
    return rows[0]
  }

  async function tell(trx: Transaction, ownerId: string, tier: string | null, counts: Exceeding): Promise<void> {
    const named = parts.flatMap(([what, one, many]) => {
      const count = counts[what]
      return count > 0 ? [`${count} ${count === 1 ? one : many}`] : []
    })
    await notifications.notify(trx, {
      ownerId,
      kind: 'limits_exceeded',
      subjectId: ownerId,
      key: `${tier ?? 'off'} ${clock.now().toISOString()}`,
      title: tier === null ? 'You are over your limits' : `You are over the limits of the ${tier} tier`,
      message: `Nothing was deleted, but your newest items over the limits are suspended: ${named.join(', ')}. They resume automatically when you are within your limits. Delete what you do not need${tier === null ? '' : ', or choose a higher tier with POST /billing/subscription'}.`,
    })
  }

  /** What `fittedTier` is once an account is fitted to what it may have now. */
  const fittedTo = ({ tier }: Account): string => (isOff ? 'off' : tier)

  /** Unless it is fitted. The mark is set before anything is read, and whatever changes what is read takes it away. */
  async function begin(ownerId: string, mark: string): Promise<Account | undefined> {
    const account = Account.query(database).findById(ownerId)
    const unfitted = account.whereRaw(`fitted_tier is distinct from ${isOff ? "'off'" : 'tier'}`)
    return unfitted.patch({ fittedTier: mark }).returning('*').first()
  }

  async function fitAll(account: Account, mark: string): Promise<boolean> {
    const { ownerId } = account
    const { tier, limits, features } = allowances.of(account)
    const owner = await User.query(database).findById(ownerId).select('suspendedAt')
    const isSuspended = owner !== undefined && owner.suspendedAt !== null
    await fitAgents(ownerId, isSuspended ? 0 : countable(limits.agents))
    await database.raw(entriesStatement, { ownerId, limit: countable(limits.vaultSites), now: clock.now() })
    await database.raw(keysStatement, { ownerId, limit: countable(limits.apiKeys), now: clock.now() })
    const found = await countOf(ownerId)
    const counts = { ...found, workspaces: features.includes('workspaces') ? 0 : found.workspaces }
    const exceeds = Object.values(counts).some((count) => count > 0)
    return database.transaction(async (trx) => {
      const marked = Account.query(trx).findById(ownerId).where({ tier: account.tier, fittedTier: mark })
      const isLast = (await marked.patch({ fittedTier: fittedTo(account), exceeds })) > 0
      if (isLast && exceeds && !account.exceeds && !isSuspended) await tell(trx, ownerId, tier, counts)
      return isLast
    })
  }

  /**
   * What was written may be older than what another fit has decided since, so one of the two repeats all of it: the other
   * if it has not finished, because it finds its mark gone, too; otherwise this one. True if it is this one.
   */
  async function isToRepeat(ownerId: string, mark: string): Promise<boolean> {
    return database.transaction(async (trx) => {
      const account = await Account.query(trx).findById(ownerId).forUpdate()
      if (!account) return false
      const { fittedTier } = account
      // If the process of the other was killed, the sweep does it.
      await Account.query(trx).findById(ownerId).patch({ fittedTier: null, lookAt: clock.now() })
      return fittedTier === mark || !fittedTier?.startsWith(fitting)
    })
  }

  /**
   * Fits an account to its limits, unless that was done. A suspended one has no agents that work. Killed at any moment, it
   * can be repeated. Of several at once, the last one begins when the others no longer write.
   */
  async function fit(ownerId: string): Promise<void> {
    const mark = `${fitting}${newId()}`
    const account = await begin(ownerId, mark)
    if (!account || (await fitAll(account, mark))) return
    if (await isToRepeat(ownerId, mark)) await fit(ownerId)
  }

  return {
    fit,

    /** Lets accounts be fitted anew that were fitted while the installation had tiers, or had none, and is otherwise now. */
    afterChange: async (): Promise<void> => {
      await database.raw(changedStatement, { isOff, now: clock.now() })
    },

    /** What exceeds the limits now. */
    async of(ownerId: string): Promise<Exceeding> {
      const account = await Account.query(database).findById(ownerId)
      const counts = await countOf(ownerId)
      const allowed = allowances.of(account ?? {}).limits.workspaces
      return { ...counts, workspaces: Math.max(0, counts.workspaces - allowed) }
    },
  }
}

/** What rests, in the words of a notification: one, and several. */
const parts = [
  ['agents', 'agent is paused', 'agents are paused'],
  ['vaultSites', 'site in the vault is disabled', 'sites in the vault are disabled'],
  ['apiKeys', 'API key is disabled', 'API keys are disabled'],
  ['workspaces', 'workspace is closed', 'workspaces are closed'],
] as const satisfies [keyof Exceeding, string, string][]

/** How the mark of an account begins that is being fitted; its rest is the fit's own. */
const fitting = 'fitting '

export type FitToLimits = ReturnType<typeof createFitToLimits>

interface Ranked {
  id: string
  ownerId: string
  exceeds: boolean
}

const changedStatement = `
  update accounts set look_at = :now
   where fitted_tier is not null and (fitted_tier = 'off') <> :isOff and (exceeds or not :isOff)`

/** Those whose state is not what it has to be. */
const agentsStatement = `
  select id, owner_id as "ownerId", exceeds from (${rowsOverLimit('agents', ':limit')}) r
   where exceeds <> (exceeding_since is not null) order by id`

const fitStatement = (table: 'vault_entries' | 'api_keys') => `
  with ranked as (${rowsOverLimit(table, ':limit')})
  update ${table} t set exceeding_since = case when r.exceeds then :now::timestamptz end
    from ranked r where r.id = t.id and r.exceeds <> (t.exceeding_since is not null)`

const entriesStatement = fitStatement('vault_entries')
const keysStatement = fitStatement('api_keys')

const resting = 'exceeding_since is not null'
const countStatement = `
  select (select count(*) from agents where ${counted.agents} and ${resting}) as agents,
         (select count(*) from vault_entries where ${counted.vault_entries} and ${resting}) as "vaultSites",
         (select count(*) from api_keys where ${counted.api_keys} and ${resting}) as "apiKeys",
         (select count(*) from workspaces where ${counted.workspaces}) as workspaces`
