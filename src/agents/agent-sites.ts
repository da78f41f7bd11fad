import type { Database, Transaction } from '../database/database.ts'
import type { LeftOut } from '../models/offer/offer.ts'
import { assertSites } from '../vault/site-choices.ts'
import { lockNamed, type VaultEntry } from '../vault/vault-entry.ts'
import type { Vault } from '../vault/vault.ts'
import { AgentSite, type Agent, type AgentWithSites } from './agent.ts'
import type { SiteChoice } from './agent-fields.ts'
import { LostSite } from './lost-site.ts'

/** A site of the agent that has none, or only some, of its tools now. */
export interface MissingSite {
  name: string
  origin: string
  /**
   * The site was removed from the vault, no allowed tool is usable (scopes, a new manifest), or some tools cannot be
   * offered to the model.
   */
  reason: 'removed' | 'no_usable_tool' | LeftOut['reason']
  /** The missing tools; absent if all are. */
  tools?: string[]
}

/** The connected sites and tools that agents may use. */
export function createAgentSites(context: { database: Database; vault: Vault }) {
  const { database, vault } = context
  const choicesOf = (agentId: string, db: Database | Transaction = database) =>
    AgentSite.query(db).where({ agentId }).orderBy('position')

  /** The named vault entries that exist. */
  const named = (ownerId: string, sites: Pick<SiteChoice, 'vaultEntryId'>[]): Promise<VaultEntry[]> =>
    vault.known(
      ownerId,
      sites.map(({ vaultEntryId }) => vaultEntryId),
    )

  return {
    named,

    /** Rejects unknown sites and tools, and duplicate sites: VALIDATION_ERROR. */
    assertSites: (entries: VaultEntry[], sites: SiteChoice[]): void => assertSites(entries.map(vault.offered), sites),

    /** The names of the tools of the sites that are connected, by vault entry. */
    async toolNames(ownerId: string, sites: Pick<SiteChoice, 'vaultEntryId'>[]): Promise<Map<string, string[]>> {
      const offered = (await named(ownerId, sites)).map(vault.offered)
      return new Map(offered.map(({ id, tools }) => [id, tools.map(({ name }) => name)]))
    },

    /** Replaces the agent's sites and forgets lost ones. */
    async store(
      trx: Transaction,
      { id: agentId, ownerId }: Pick<Agent, 'id' | 'ownerId'>,
      sites: SiteChoice[],
    ): Promise<void> {
      await lockNamed(trx, { ownerId, by: 'agent' }, sites)
      await AgentSite.query(trx).delete().where({ agentId })
      await LostSite.query(trx).delete().where({ agentId })
      if (sites.length === 0) return
      const rows = sites.map(asStored).map(({ vaultEntryId, tools, askFirst }, position) => ({
        agentId,
        vaultEntryId,
        position,
        tools,
        askFirst: askFirst.length > 0 ? askFirst : null,
      }))
      await AgentSite.query(trx).insert(rows)
    },

    async withSites(agent: Agent, db: Database | Transaction = database): Promise<AgentWithSites> {
      const choices = await choicesOf(agent.id, db)
      const sites = choices.map(({ vaultEntryId, tools, askFirst }) => ({
        vaultEntryId,
        tools,
        askFirst: askFirst ?? [],
      }))
      return Object.assign(agent, { sites })
    },
  }
}

export type AgentSites = ReturnType<typeof createAgentSites>

/** A choice with its defaults. */
export const asStored = ({ vaultEntryId, tools, askFirst = [] }: SiteChoice): AgentWithSites['sites'][number] => ({
  vaultEntryId,
  tools: tools ?? null,
  askFirst,
})
