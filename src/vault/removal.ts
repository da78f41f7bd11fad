import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { capacityFreed } from '../owners/capacity-freed.ts'
import { assertThat } from '../errors.ts'
import type { Due } from '../runs/due.ts'
import type { Revocations } from './revocations.ts'
import { VaultEntry } from './vault-entry.ts'
import { quotedName } from '../names.ts'

const mostNamed = 10

interface User {
  id: string
  name: string
}

export function createRemoval(context: {
  database: Database
  clock: Clock
  due: Due
  revocations: Pick<Revocations, 'note' | 'makeAttempts'>
}) {
  const { database, clock, due, revocations } = context

  /** Returns the ids of the noted revocations. */
  async function removeUnderLock(trx: Transaction, { id, ownerId }: Named, force: boolean): Promise<string[]> {
    // An agent that adds the entry locks its row too: either it is among the users, or it finds no entry.
    const entry = await VaultEntry.query(trx).findById(id).forUpdate()
    if (!entry) return []
    // The entry was moved since the caller's permission was checked.
    assertThat(entry.ownerId === ownerId, 'NOT_FOUND', { message: 'There is no vault entry with this id.' })
    if (!force) assertUnused(await usersOf(trx, id))
    return removeAll(trx, [entry])
  }

  /** Expects locked rows. */
  async function removeAll(trx: Transaction, entries: readonly VaultEntry[]): Promise<string[]> {
    const ids = entries.map(({ id }) => id)
    await trx.raw(loseStatement, { ids, now: clock.now() })
    for (const id of ids) await due.vaultEntry(trx, id)
    const noted = await revocations.note(trx, entries)
    await VaultEntry.query(trx).findByIds(ids).delete()
    return noted
  }

  return {
    /**
     * Deletes the entry and revokes its credential at the site, if the site supports it. Unless forced, fails with
     * VALIDATION_ERROR while agents use the entry, and names them. The agents lose the site, and their runs say so.
     */
    async remove(entry: Named, { force }: { force: boolean }): Promise<void> {
      const noted = await database.transaction((trx) => removeUnderLock(trx, entry, force))
      await capacityFreed(database, entry.ownerId, clock.now())
      await revocations.makeAttempts(noted)
    },

    /**
     * Deletes a user's connections for an owner, in the caller's transaction, even if agents use them. The credentials
     * are revoked later.
     */
    async removeConnectedBy(trx: Transaction, { ownerId, userId }: { ownerId: string; userId: string }): Promise<void> {
      const connected = VaultEntry.query(trx).where({ ownerId, connectedBy: userId })
      const entries = await connected.orderBy('id').forUpdate()
      if (entries.length > 0) await removeAll(trx, entries)
    },
  }
}

type Named = Pick<VaultEntry, 'id' | 'ownerId'>

/** The agents that use the entry. They are locked, so an update of an agent's sites finishes first. */
async function usersOf(trx: Transaction, entryId: string): Promise<User[]> {
  const { rows } = await trx.raw<{ rows: User[] }>(usersStatement, { entryId })
  return rows
}

const usersStatement = `
  select a.id, a.name from agent_sites s join agents a on a.id = s.agent_id
   where s.vault_entry_id = :entryId and a.deleted_at is null
   order by a.id for update of s`

const loseStatement = `
  with used as (
    select a.id, e.origin, e.name from agent_sites s
      join agents a on a.id = s.agent_id
      join vault_entries e on e.id = s.vault_entry_id
     where e.id = any(:ids::uuid[]) and a.deleted_at is null
     order by a.id for update of s
  )
  insert into agent_lost_sites (agent_id, origin, name, lost_at)
  select id, origin, name, :now from used
      on conflict (agent_id, origin) do update set name = excluded.name, lost_at = excluded.lost_at`

function assertUnused(users: User[]): void {
  const named = users.slice(0, mostNamed).map(({ id, name }) => `${quotedName(name)} (${id})`)
  const more = users.length > named.length ? `, and ${users.length - named.length} more` : ''
  const who = users.length === 1 ? '1 agent uses' : `${users.length} agents use`
  const message = `${who} this site: ${named.join(', ')}${more}. Remove the site from each agent first, or repeat the request with ?force=true to remove the site's tools from all agents.`
  const details = named.map((agent) => ({ path: 'force', message: `The agent ${agent} uses this site.` }))
  assertThat(users.length === 0, 'VALIDATION_ERROR', { message, details })
}
