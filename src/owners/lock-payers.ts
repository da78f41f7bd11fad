import type { Transaction } from '../database/database.ts'

/** A user who pays for something, locked. */
export interface Payer {
  id: string
  suspendedAt: Date | null
  emailVerifiedAt: Date | null
}

/**
 * Locks the users who pay for the owners, in the order of their ids, so that those who lock the same users do not block each
 * other. A workspace may be handed over while this waits, so who pays is asked again afterwards. An owner that was deleted
 * has no payer.
 */
export async function lockPayers(trx: Transaction, ownerIds: readonly string[]): Promise<Payer[]> {
  for (;;) {
    const locked = (await trx.raw<{ rows: Payer[] }>(`${payersStatement} for no key update`, { ownerIds })).rows
    const ids = new Set(locked.map(({ id }) => id))
    // Who pays for a user never changes.
    if (ownerIds.every((id) => ids.has(id))) return locked
    const { rows: present } = await trx.raw<{ rows: Payer[] }>(payersStatement, { ownerIds })
    if (present.every(({ id }) => ids.has(id))) return present
  }
}

const payersStatement = `
  select id, suspended_at as "suspendedAt", email_verified_at as "emailVerifiedAt" from users
   where id in (select coalesce(w.payer_id, o.id) from unnest(:ownerIds::uuid[]) as o (id)
                  left join workspaces w on w.id = o.id)
   order by id`
