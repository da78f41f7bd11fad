import { violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { assertThat, CodedError, type ErrorDetail } from '../errors.ts'
import type { SiteTool } from '../sites/tool.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Vault } from '../vault/vault.ts'
import { AgentSite, type Agent, type AgentWithSites } from './agent.ts'
import type { SiteChoice } from './agent-fields.ts'

/** One tool that an agent may use, and its site. */
export interface AgentTool {
  entryId: string
  siteName: string
  siteOrigin: string
  tool: SiteTool
}

/** The connected sites and tools that agents may use. */
export function createAgentSites(context: { database: Database; vault: Vault }) {
  const { database, vault } = context
  const choicesOf = (agentId: string) => AgentSite.query(database).where({ agentId }).orderBy('position')

  /** The named vault entries that exist. */
  const named = (ownerId: string, sites: Pick<SiteChoice, 'vaultEntryId'>[]): Promise<VaultEntry[]> =>
    vault.known(
      ownerId,
      sites.map(({ vaultEntryId }) => vaultEntryId),
    )

  function problemsOf(entries: VaultEntry[], choice: SiteChoice, index: number): ErrorDetail[] {
    const entry = entries.find(({ id }) => id === choice.vaultEntryId)
    const path = `sites.${index}`
    if (!entry) return [{ path: `${path}.vaultEntryId`, message: 'There is no vault entry with this identifier.' }]
    const offered = new Set(vault.toolsOf(entry).map(({ name }) => name))
    return (choice.tools ?? [])
      .filter((name) => !offered.has(name))
      .map((name) => ({ path: `${path}.tools`, message: `The site has no tool named ${JSON.stringify(name)}.` }))
  }

  /** The tools the agent may use now (their scopes are granted), in the order of its sites and their manifests. */
  async function toolsOf(agentId: string, ownerId: string): Promise<AgentTool[]> {
    const choices = await choicesOf(agentId)
    const entries = await named(ownerId, choices)
    return choices.flatMap(({ vaultEntryId, tools }) => {
      const entry = entries.find(({ id }) => id === vaultEntryId)
      if (!entry) return []
      const allowed = vault
        .toolsOf(entry)
        .filter(({ name, usable }) => usable && (tools === null || tools.includes(name)))
      return allowed.map((tool) => ({ entryId: entry.id, siteName: entry.name, siteOrigin: entry.origin, tool }))
    })
  }

  return {
    named,
    toolsOf,

    /** Refuses unknown sites and tools, and sites named twice: VALIDATION_ERROR. */
    assertSites(entries: VaultEntry[], sites: SiteChoice[]): void {
      const details = sites.flatMap((choice, index) => problemsOf(entries, choice, index))
      const repeated = new Set(sites.map(({ vaultEntryId }) => vaultEntryId)).size < sites.length
      if (repeated) details.push({ path: 'sites', message: 'Each vault entry may be named only once.' })
      const message = `The sites are not valid. ${details[0]?.message ?? ''}`
      assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
    },

    /** Replaces the agent's sites. */
    async store(trx: Transaction, agentId: string, sites: SiteChoice[]): Promise<void> {
      await AgentSite.query(trx).delete().where({ agentId })
      if (sites.length === 0) return
      const rows = sites.map(({ vaultEntryId, tools }, position) => ({
        agentId,
        vaultEntryId,
        position,
        tools: tools ?? null,
      }))
      await AgentSite.query(trx).insert(rows).catch(refuseRemoved)
    },

    async withSites(agent: Agent): Promise<AgentWithSites> {
      const choices = await choicesOf(agent.id)
      return Object.assign(agent, { sites: choices.map(({ vaultEntryId, tools }) => ({ vaultEntryId, tools })) })
    },
  }
}

/** A site may have been removed from the vault since the request was checked. */
function refuseRemoved(error: unknown): never {
  if (violatedConstraint(error) !== 'agent_sites_vault_entry_fk') throw error
  const message = 'A site of the agent was removed from the vault in the meantime.'
  throw new CodedError('VALIDATION_ERROR', { message, details: [{ path: 'sites', message }] })
}
