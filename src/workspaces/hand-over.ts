import { Account } from '../billing/account.ts'
import type { Credits } from '../billing/credits.ts'
import type { Transaction } from '../database/database.ts'
import { Member } from './member.ts'
import { Workspace } from './workspace.ts'

/** Which workspace goes from whom to whom. */
export interface HandedOver {
  workspaceId: string
  from: string
  to: string
}

/** Locks both accounts, in the order of their ids. */
export async function lockAccounts(
  trx: Transaction,
  credits: Pick<Credits, 'locked'>,
  { from, to }: Pick<HandedOver, 'from' | 'to'>,
): Promise<void> {
  for (const id of [from, to].toSorted()) await credits.locked(id, trx)
}

/**
 * Changes who owns a workspace, and whose account pays for it, with both users and both accounts locked. The former
 * owner is an admin from then on. What is held for steps in progress is held of the new account, which is charged when
 * they end.
 */
export async function handOver(trx: Transaction, { workspaceId, from, to }: HandedOver, now: Date): Promise<void> {
  const members = Member.query(trx).where({ workspaceId })
  await members.clone().findOne({ userId: from }).patch({ role: 'admin' })
  await members.clone().findOne({ userId: to }).patch({ role: 'owner', offeredUntil: null })
  await Workspace.query(trx).findById(workspaceId).patch({ payerId: to })
  await trx.raw(holdsStatement, { workspaceId, to })
  // Either may have room now for what rested, or too little.
  await Account.query(trx).findByIds([from, to]).patch({ fittedTier: null, lookAt: now })
}

/** A hold that somebody has locked is just being given back. */
const holdsStatement = `
  update credit_holds set owner_id = :to::uuid where subject_id in
    (select subject_id from credit_holds where workspace_id = :workspaceId for update skip locked)`
