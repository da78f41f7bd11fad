import { toolIsRemoved } from './permission.ts'

/**
 * SQL condition on a call `c`: it waits for its owner to reconnect the site. It need not if its site is reconnected,
 * deleted or removed from the agent.
 */
export const isParked = `
  (c.wait_cause = 'credential' and not (${toolIsRemoved})
   and exists (select from vault_entries e where e.id = c.vault_entry_id and e.status <> 'connected'))`

/** The same: it waits for an approval. It need not if that was decided, or its site or tool is deleted or removed. */
export const isUnapproved = `
  (c.wait_cause = 'approval' and not (${toolIsRemoved})
   and exists (select from vault_entries e where e.id = c.vault_entry_id)
   and exists (select from approvals a where a.call_id = c.id and a.status = 'pending'))`

/** The same: it waits for nothing that its owner has to do. Whether its time has come is another question. */
export const isFreed = `
  (c.wait_cause is null or c.wait_cause = 'approval' and not ${isUnapproved}
   or c.wait_cause = 'credential' and not ${isParked})`
