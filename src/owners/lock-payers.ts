import type { Transaction } from '../database/database.ts'

export interface Payer {
  id: string
  suspendedAt: Date | null
  emailVerifiedAt: Date | null
}

/**
 * Locks the users who pay for the owners in the order of their ids, so concurrent callers do not deadlock. A workspace
 * may change hands while this waits, so the payers are read again afterwards. A deleted owner has no payer.
 */
export async function lockPayers(trx: Transaction, ownerIds: readonly string[]): Promise<Payer[]> {
  for (;;) {
    const locked = (await trx.raw<{ rows: Payer[] }>(`${payersStatement} for no key update`, { ownerIds })).rows
    const ids = new Set(locked.map(({ id }) => id))
    // The payer of a user never changes.
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
