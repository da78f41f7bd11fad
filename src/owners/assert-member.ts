import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'

/**
 * Refuses whoever is no member any more (WORKSPACE_NOT_FOUND). Under the lock of the user who pays, under which members are
 * removed: so nothing is made by one who is just being removed.
 */
export async function assertMember(trx: Transaction, ownerId: string, userId: string): Promise<void> {
  assertThat(await isMember(trx, ownerId, userId), 'WORKSPACE_NOT_FOUND')
}

/** Whether it is the user's own, or the user is a member. Under the same lock. */
export async function isMember(trx: Transaction, ownerId: string, userId: string): Promise<boolean> {
  if (ownerId === userId) return true
  const member: unknown = await trx('members').where({ workspaceId: ownerId, userId }).first('id')
  return member !== undefined
}
