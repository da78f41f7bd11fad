import type { Transaction } from '../../database/database.ts'
import { newId } from '../../ids.ts'
import type { Account } from '../account.ts'
import { LedgerEntry } from '../ledger-entry.ts'

/** Credits taken back with a payment, and which time that was. */
interface Undone {
  paymentId: string
  turn: number
}

/**
 * Returns credits to a locked account that were taken back with a payment, because it was paid after all. They go to
 * their former grants, which may have expired, after paying a debt. Returns the amount; 0 if nothing was taken or it
 * was already returned.
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
    // Other grants have paid a debt meanwhile; their part goes to the payment's grant.
    const grantId = id ?? (await grantOf(trx, taken))
    await trx('credit_grants').where({ ownerId, id: grantId }).increment('remaining', part)
  }
  account.balance = balance
  return credits
}

/** The credits for each grant, `room` in total. The grant is null for the part that no grant provided. */
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
