import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { usableTools, type UsableTool } from '../vault/usable-tools.ts'
import type { Vault } from '../vault/vault.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { AgentSite } from './agent.ts'
import type { MissingSite } from './agent-sites.ts'
import { selectingSecrets, type WithSecrets } from './known-secrets.ts'

/** What a model step of an agent can use, what is missing, and what nobody may read. */
interface Offer {
  tools: UsableTool[]
  missing: MissingSite[]
  /** The access tokens of its sites, in plain text. */
  tokens: string[]
  /** The agent's webhook and callback secrets, in plain text. */
  secrets: string[]
}

/** An agent with one of its sites, if it has any. The columns of the vault entry are null if that is another owner's. */
type Row = WithSecrets &
  Pick<AgentSite, 'tools' | 'askFirst'> & { lost: Named[]; entryId: string | null } & Omit<Entry, 'id'>

type Entry = Pick<
  VaultEntry,
  | 'id'
  | 'name'
  | 'origin'
  | 'manifest'
  | 'confirmedEffects'
  | 'scopes'
  | 'authType'
  | 'credential'
  | 'manifestStaleAt'
  | 'manifestWantedAt'
>
type Named = Pick<VaultEntry, 'name' | 'origin'>

const missingAs =
  (reason: MissingSite['reason']) =>
  ({ name, origin }: Named): MissingSite => ({ name, origin, reason })

/** Reads what a model step of an agent can use. */
export function createOfferOf(context: {
  database: Database
  vault: Vault
  secretsIn: (agent: WithSecrets) => string[]
}) {
  const { database, vault, secretsIn } = context

  /**
   * The tools that the agent may use now (their scopes are granted), in the order of its sites and their manifests, with
   * the missing sites and the secrets to hide. One statement, so a site that is removed meanwhile is offered or missing.
   */
  return async (agentId: string, ownerId: string): Promise<Offer> => {
    const { rows } = await offerStatement(database, { agentId, ownerId })
    const [agent] = rows
    if (!agent) throw new Error('the agent does not exist')
    const sites = rows.flatMap(({ entryId, ...row }) => {
      if (entryId === null) return []
      const entry = { ...row, id: entryId }
      const tools = usableTools(vault, entry, row.tools, ({ name }) => row.askFirst?.includes(name) ?? false)
      return [{ entry, tools, wanted: row.tools?.length !== 0 }]
    })
    await vault.wantStale(sites.map(({ entry }) => entry))
    const useless = sites.filter(({ tools, wanted }) => wanted && tools.length === 0).map(({ entry }) => entry)
    return {
      tools: sites.flatMap(({ tools }) => tools),
      missing: [...agent.lost.map(missingAs('removed')), ...useless.map(missingAs('no_usable_tool'))],
      tokens: sites.flatMap(({ entry }) => vault.tokensIn(entry)),
      secrets: secretsIn(agent),
    }
  }
}

const offerStatement = statement<Row>(`
  select ${selectingSecrets},
         (select coalesce(json_agg(json_build_object('name', l.name, 'origin', l.origin) order by l.origin), '[]')
            from agent_lost_sites l where l.agent_id = a.id) as lost,
         s.tools, s.ask_first as "askFirst", e.id as "entryId", e.name, e.origin, e.manifest,
         e.confirmed_effects as "confirmedEffects", e.scopes, e.auth_type as "authType", e.credential,
         e.manifest_stale_at as "manifestStaleAt", e.manifest_wanted_at as "manifestWantedAt"
    from agents a
    left join agent_sites s on s.agent_id = a.id
    left join vault_entries e on e.id = s.vault_entry_id and e.owner_id = :ownerId
   where a.id = :agentId order by s.position`)
