import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { can, type Action, type Role } from './roles.ts'

/**
 * Refuses whoever is no member any more, or may not do this any more (WORKSPACE_NOT_FOUND). Under the lock of the user who pays, under which members are
 * removed: so nothing is made by one who is just being removed.
 */
export async function assertMember(
  trx: Transaction,
  ownerId: string,
  userId: string,
  action: Action = 'see',
): Promise<void> {
  assertThat(await isMember(trx, ownerId, userId, action), 'WORKSPACE_NOT_FOUND')
}

/** Whether it is the user's own, or the user is a member who may do this. Under the same lock. */
export async function isMember(
  trx: Transaction,
  ownerId: string,
  userId: string,
  action: Action = 'see',
): Promise<boolean> {
  if (ownerId === userId) return true
  const member: { role: Role } | undefined = await trx('members').where({ workspaceId: ownerId, userId }).first('role')
  return member !== undefined && can(member.role, action)
}
