import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import type { Due } from '../runs/due.ts'
import { VaultEntry } from './vault-entry.ts'

/** Agents that a refusal names. */
const mostNamed = 10

interface User {
  id: string
  name: string
}

/** Takes entries out of the vault. */
export function createRemoval(context: {
  database: Database
  clock: Clock
  due: Due
  revoke: (entry: VaultEntry) => Promise<void>
}) {
  const { database, clock, due, revoke } = context

  async function removeUnderLock(trx: Transaction, id: string, force: boolean): Promise<VaultEntry | undefined> {
    // An agent that takes up the entry locks its row, too: either it is among the users, or it finds no entry.
    const entry = await VaultEntry.query(trx).findById(id).forUpdate()
    if (!entry) return undefined
    const users = await usersOf(trx, id)
    if (!force) assertUnused(users)
    const { origin, name } = entry
    const agentIds = users.map((user) => user.id)
    await trx.raw(loseStatement, { origin, name, agentIds, now: clock.now() })
    await due.vaultEntry(trx, id)
    await VaultEntry.query(trx).deleteById(id)
    return entry
  }

  return {
    /**
     * Deletes the entry and revokes its credential at the site, if the site supports it. Unless forced, fails with
     * VALIDATION_ERROR while agents use the entry, and names them. The agents lose the site, and their runs say so.
     */
    async remove({ id }: Pick<VaultEntry, 'id'>, { force }: { force: boolean }): Promise<void> {
      // Revokes the deleted row's tokens: they may have been refreshed since the entry was read.
      const removed = await database.transaction((trx) => removeUnderLock(trx, id, force))
      if (removed) await revoke(removed)
    },

    /**
     * Revokes the entry's credential at the site, and then deletes the entry, unless it has another credential by then: a
     * process that is killed in between leaves no credential that nobody knows of. For owners that are deleted, whose
     * agents use nothing any more. Repeat it until the entry is gone.
     */
    async discard(entry: VaultEntry): Promise<void> {
      await revoke(entry)
      const { id, generation } = entry
      await VaultEntry.query(database).where({ id, generation }).delete()
    },
  }
}

/** The agents that use the entry. Locked, so that one whose sites are being set anew is asked after that. */
async function usersOf(trx: Transaction, entryId: string): Promise<User[]> {
  const { rows } = await trx.raw<{ rows: User[] }>(usersStatement, { entryId })
  return rows
}

const usersStatement = `
  select a.id, a.name from agent_sites s join agents a on a.id = s.agent_id
   where s.vault_entry_id = :entryId and a.deleted_at is null
   order by a.id for update of s`

const loseStatement = `
  insert into agent_lost_sites (agent_id, origin, name, lost_at)
  select id, :origin, :name, :now from unnest(:agentIds::uuid[]) as t (id)
      on conflict (agent_id, origin) do update set name = excluded.name, lost_at = excluded.lost_at`

function assertUnused(users: User[]): void {
  const named = users.slice(0, mostNamed).map(({ id, name }) => `${JSON.stringify(name)} (${id})`)
  const more = users.length > named.length ? `, and ${users.length - named.length} more` : ''
  const who = users.length === 1 ? '1 agent uses' : `${users.length} agents use`
  const message = `${who} this site: ${named.join(', ')}${more}. Take it out of their sites first, or repeat the request with ?force=true; then they lose its tools.`
  const details = named.map((agent) => ({ path: 'force', message: `The agent ${agent} uses this site.` }))
  assertThat(users.length === 0, 'VALIDATION_ERROR', { message, details })
}
