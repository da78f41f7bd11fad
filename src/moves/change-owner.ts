import { arrivalNow } from '../database/arrivals.ts'
import { violatedConstraint, type Transaction } from '../database/database.ts'
import { CodedError } from '../errors.ts'

/** The moved things, their new owner, and the user who moves them. */
interface Moving {
  targetId: string
  userId: string
  agentIds: readonly string[]
  entryIds: readonly string[]
  now: Date
}

/**
 * Gives agents and entries a new owner. The former owner keeps past runs, calls, callbacks and notifications, because
 * these rows have an owner of their own. TOKEN_EXISTS if the target has an entry for the same site.
 */
export async function changeOwner(trx: Transaction, moving: Moving): Promise<void> {
  const { agentIds, entryIds } = moving
  await trx.raw(agentsStatement, { ...moving })
  await trx.raw(versionsStatement, { agentIds })
  await trx.raw(queuesStatement, { agentIds })
  await trx.raw('delete from refused_deliveries where agent_id = any(:agentIds::uuid[])', { agentIds })
  await trx.raw(entriesStatement, { ...moving }).catch(refuseTwice)
  await trx.raw('delete from session_sites where vault_entry_id = any(:entryIds::uuid[])', { entryIds })
}

function refuseTwice(error: unknown): never {
  if (violatedConstraint(error) !== 'vault_entries_owner_origin') throw error
  const message =
    'One of the sites is already connected at the destination. Disconnect the site from one of the two vaults first.'
  throw new CodedError('TOKEN_EXISTS', { message })
}

const agentsStatement = `
  update agents a
     set owner_id = :targetId, moved_at = :now, moved_sequence = q.last_sequence, updated_at = :now,
         arrival = ${arrivalNow}
    from agent_queues q
   where q.agent_id = a.id and a.id = any(:agentIds::uuid[])`

/** The new owner does not see earlier versions, as it does not see earlier runs. The agent's present fields move. */
const versionsStatement = `
  delete from agent_versions v using agents a
   where a.id = any(:agentIds::uuid[]) and v.agent_id = a.id and v.version < a.version`

/** The reason that holds a queue back depends on the payer. */
const queuesStatement = `
  update agent_queues set blocked_cause = null, blocked_since = null
   where agent_id = any(:agentIds::uuid[]) and blocked_cause is not null`

/** An entry whose creator is not a member at the target becomes the mover's. */
const entriesStatement = `
  update vault_entries e
     set owner_id = :targetId, moved_at = :now, updated_at = :now, arrival = ${arrivalNow},
         connected_by = case when e.connected_by = :targetId
                               or exists (select 1 from members m
                                           where m.workspace_id = :targetId and m.user_id = e.connected_by)
                             then e.connected_by else :userId::uuid end
   where e.id = any(:entryIds::uuid[])`
