import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { consoleHome } from '../console-pages.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { Account } from './account.ts'
import type { Allowances } from './allowances.ts'
import { countable, counted, rowsOverLimit } from './rows-over-limit.ts'
import { User } from '../users/user.ts'

/** The number of things beyond the tier's limits. They are kept but suspended. */
export interface Exceeding {
  agents: number
  vaultSites: number
  apiKeys: number
  /** Workspaces that the tier does not include are closed. */
  workspaces: number
}

/**
 * Fits an account's things to the limits of its tier. The oldest stay active. Newer ones are suspended, and resume
 * automatically when a higher tier or a deletion makes room.
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

  /** Handles each agent separately, under the agent's own locks, so it does not hold the account's lock. */
  async function fitAgents(ownerId: string, limit: number): Promise<void> {
    const found = await database.raw<{ rows: Ranked[] }>(agentsStatement, { ownerId, limit })
    for (const { id, ownerId: of, exceeds } of found.rows) await agents.rest({ id, ownerId: of }, exceeds)
  }

  const countOf = async (ownerId: string): Promise<Exceeding> => {
    const { rows } = await database.raw<{ rows: [Exceeding] }>(countStatement, { ownerId, now: clock.now() })
    return rows[0]
  }

  async function notifySuspended(
    trx: Transaction,
    ownerId: string,
    tier: string | null,
    counts: Exceeding,
  ): Promise<void> {
    const named = parts.flatMap(([what, one, many]) => {
      const count = counts[what]
      return count > 0 ? [`${count} ${count === 1 ? one : many}`] : []
    })
    await notifications.notify(trx, {
      ownerId,
      kind: 'limits_exceeded',
      subjectId: ownerId,
      key: `${tier ?? 'off'} ${clock.now().toISOString()}`,
      consolePage: consoleHome,
      title: tier === null ? 'You are over your limits' : `You are over the ${tier} tier's limits`,
      message: `Nothing was deleted, but your newest items over the limits are suspended: ${named.join(', ')}. They will resume automatically when you are within your limits. Delete what you do not need${tier === null ? '' : ', or choose a higher tier with POST /billing/subscription'}.`,
    })
  }

  /** The value of `fittedTier` for an account that now fits its limits. */
  const fittedTo = ({ tier }: Account): string => (isOff ? 'off' : tier)

  /** Marks the account before it reads anything, unless it already fits. Any change of the inputs removes the mark. */
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
      if (isLast && exceeds && !account.exceeds && !isSuspended) await notifySuspended(trx, ownerId, tier, counts)
      return isLast
    })
  }

  /**
   * A concurrent fit may have decided with newer data than this one has written. So one of the two must repeat: the
   * other if it is still running, because its mark is gone; otherwise this one. Returns whether it is this one.
   */
  async function isToRepeat(ownerId: string, mark: string): Promise<boolean> {
    return database.transaction(async (trx) => {
      const account = await Account.query(trx).findById(ownerId).forUpdate()
      if (!account) return false
      const { fittedTier } = account
      // If the other process was killed, the sweep repeats the fit.
      await Account.query(trx).findById(ownerId).patch({ fittedTier: null, lookAt: clock.now() })
      return fittedTier === mark || !fittedTier?.startsWith(fitting)
    })
  }

  /**
   * Fits an account to its limits, unless it already fits. A suspended account has no active agents. Safe to repeat
   * after a crash. Of concurrent fits, the last starts when the others have stopped writing.
   */
  async function fit(ownerId: string): Promise<void> {
    const mark = `${fitting}${newId()}`
    const account = await begin(ownerId, mark)
    if (!account || (await fitAll(account, mark))) return
    if (await isToRepeat(ownerId, mark)) await fit(ownerId)
  }

  return {
    fit,

    /** Schedules a new fit for accounts last fitted in the other mode: with tiers, or without. */
    afterChange: async (): Promise<void> => {
      await database.raw(changedStatement, { isOff, now: clock.now() })
    },

    async of(ownerId: string): Promise<Exceeding> {
      const account = await Account.query(database).findById(ownerId)
      const counts = await countOf(ownerId)
      const allowed = allowances.of(account ?? {}).limits.workspaces
      return { ...counts, workspaces: Math.max(0, counts.workspaces - allowed) }
    },
  }
}

/** Words for suspended things in a notification: singular and plural. */
const parts = [
  ['agents', 'agent is paused', 'agents are paused'],
  ['vaultSites', 'site in the vault is disabled', 'sites in the vault are disabled'],
  ['apiKeys', 'API key is disabled', 'API keys are disabled'],
  ['workspaces', 'workspace is closed', 'workspaces are closed'],
] as const satisfies [keyof Exceeding, string, string][]

/** Prefix of the mark of an account that is being fitted. Each fit adds an id of its own. */
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

/** The agents whose state is wrong. */
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
