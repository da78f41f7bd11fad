import type { Transaction } from '../database/database.ts'
import { assertThat, type ErrorDetail } from '../errors.ts'
import { quotedName } from '../names.ts'

/** An agent and a site that it uses, when the move includes only one of them. */
interface Separated {
  agentId: string
  agentName: string
  entryId: string
  origin: string
}

/** The most pairs that an error lists. */
const mostListed = 50

/**
 * An agent uses only sites of its own owner. Refuses to move an agent without its sites, or a site without its agents:
 * VALIDATION_ERROR, which lists the missing things. Call it with both locked.
 */
export async function assertComplete(
  trx: Transaction,
  moving: { targetId: string; agentIds: readonly string[]; entryIds: readonly string[] },
): Promise<void> {
  const bindings = { ...moving, most: mostListed }
  const without = await trx.raw<{ rows: Separated[] }>(sitesLeftStatement, bindings)
  const used = await trx.raw<{ rows: Separated[] }>(agentsLeftStatement, bindings)
  const details: ErrorDetail[] = [...without.rows.map(siteLeft), ...used.rows.map(agentLeft)]
  const message = `An agent and its sites must have the same owner, so move them together. ${details[0]?.message ?? ''}`
  assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
}

const siteLeft = ({ agentName, origin, entryId }: Separated): ErrorDetail => ({
  path: 'entryIds',
  message: `The agent ${quotedName(agentName)} uses ${origin}. Also move the vault entry ${entryId}, or remove the site from the agent.`,
})

const agentLeft = ({ agentName, agentId, origin }: Separated): ErrorDetail => ({
  path: 'agentIds',
  message: `The agent ${quotedName(agentName)} uses ${origin}. Also move the agent ${agentId}, or remove the site from the agent.`,
})

const separated = `
  select a.id as "agentId", a.name as "agentName", e.id as "entryId", e.origin
    from agent_sites s join agents a on a.id = s.agent_id join vault_entries e on e.id = s.vault_entry_id`

const sitesLeftStatement = `${separated}
   where s.agent_id = any(:agentIds::uuid[]) and e.id <> all(:entryIds::uuid[]) and e.owner_id <> :targetId
   order by a.id, s.position limit :most`

const agentsLeftStatement = `${separated}
   where s.vault_entry_id = any(:entryIds::uuid[]) and a.id <> all(:agentIds::uuid[]) and a.owner_id <> :targetId
     and a.deleted_at is null
   order by e.id, a.id limit :most`
