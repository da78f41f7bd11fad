import type { Transaction } from '../../database/database.ts'
import { newId } from '../../ids.ts'
import type { Account } from '../account.ts'
import { LedgerEntry } from '../ledger-entry.ts'

/** What was taken back with a payment, and the time that it was. */
interface Undone {
  paymentId: string
  turn: number
}

/**
 * Gives a locked account the credits again that were taken back with a payment, because it was paid all the same: to the
 * grants from which they were taken, which may have expired. A debt is paid first. Returns how many; none if nothing was
 * taken, or they were given again before.
 */
export async function reinstateCredits(trx: Transaction, account: Account, undone: Undone, at: Date): Promise<number> {
  const { ownerId } = account
  const taken = await LedgerEntry.query(trx).findOne({ ownerId, kind: 'refund', ...undone })
  if (!taken) return 0
  const credits = -taken.credits
  const balance = account.balance + credits
  const values = { id: newId(), ownerId, ...undone, credits, balance, grantId: taken.grantId, at }
  const { rows } = await trx.raw<{ rows: unknown[] }>(entryStatement, values)
  if (rows.length === 0) return 0
  const parts = partsOf(taken, Math.max(0, balance) - Math.max(0, account.balance))
  for (const [id, part] of parts) {
    // Credits of other grants have paid a debt in the meantime: they come to the grant of the payment.
    const grantId = id ?? (await grantOf(trx, taken))
    await trx('credit_grants').where({ ownerId, id: grantId }).increment('remaining', part)
  }
  account.balance = balance
  return credits
}

/** So many credits for each grant, `room` in all; the grant is null for what none of them has given. */
function partsOf({ drawn }: LedgerEntry, room: number): [string | null, number][] {
  let left = room
  const parts: [string | null, number][] = []
  for (const [id, credits] of [...Object.entries(drawn ?? {}), [null, room] as const]) {
    const part = Math.min(credits, left)
    if (part > 0) parts.push([id, part])
    left -= part
  }
  return parts
}

async function grantOf(trx: Transaction, { ownerId, paymentId, grantId }: LedgerEntry): Promise<string | null> {
  if (grantId !== null) return grantId
  const kinds = ['purchase', 'top_up'] as const
  const bought = await LedgerEntry.query(trx).findOne({ ownerId, paymentId }).whereIn('kind', kinds).throwIfNotFound()
  return bought.grantId
}

const entryStatement = `
  with entry as (
    insert into ledger_entries (id, owner_id, kind, credits, balance_after, payment_id, grant_id, turn, created_at)
    values (:id, :ownerId, 'reinstated', :credits, :balance, :paymentId, :grantId, :turn, :at)
    on conflict do nothing returning id
  ), account as (
    update accounts set balance = :balance from entry where owner_id = :ownerId
  )
  select from entry`
