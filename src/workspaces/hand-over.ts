import { Account } from '../billing/account.ts'
import type { Credits } from '../billing/credits.ts'
import type { Transaction } from '../database/database.ts'
import { Member } from './member.ts'
import { Workspace } from './workspace.ts'

export interface HandedOver {
  workspaceId: string
  from: string
  to: string
}

/** Locks both accounts in the order of their ids. */
export async function lockAccounts(
  trx: Transaction,
  credits: Pick<Credits, 'locked'>,
  { from, to }: Pick<HandedOver, 'from' | 'to'>,
): Promise<void> {
  for (const id of [from, to].toSorted()) await credits.locked(id, trx)
}

/**
 * Changes the owner of a workspace, and so its paying account, with both users and both accounts locked. The former
 * owner becomes an admin. Holds of steps in progress move to the new account, which is charged when they end. A
 * handover does not wait for running work, because an agent with a queue never idles. A hold has no payer of its own:
 * the former owner would pay for runs that the new one keeps going. Ledger entries, grants and months stay with the
 * charged account.
 */
export async function handOver(trx: Transaction, { workspaceId, from, to }: HandedOver, now: Date): Promise<void> {
  const members = Member.query(trx).where({ workspaceId })
  await members.clone().findOne({ userId: from }).patch({ role: 'admin' })
  await members.clone().findOne({ userId: to }).patch({ role: 'owner', offeredUntil: null })
  await Workspace.query(trx).findById(workspaceId).patch({ payerId: to })
  await trx.raw(holdsStatement, { workspaceId, to })
  // Either account may now have capacity for resting things, or too little.
  await Account.query(trx).findByIds([from, to]).patch({ fittedTier: null, lookAt: now })
}

/** Skips locked holds, which are being released. */
const holdsStatement = `
  update credit_holds set owner_id = :to::uuid where subject_id in
    (select subject_id from credit_holds where workspace_id = :workspaceId for update skip locked)`
