import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { can, rolesFor, type Action, type Role } from './roles.ts'
import { assertActiveUser } from './suspension.ts'

/**
 * Refuses whoever is no member any more, also since the workspace was deleted (WORKSPACE_NOT_FOUND), or may not do this any
 * more, or is suspended (PERMISSION_DENIED). Under the lock of the user who pays, under which members are removed and
 * workspaces deleted: so nothing is made by one who is just being removed.
 */
export async function assertMember(
  trx: Transaction,
  ownerId: string,
  userId: string,
  action: Action = 'see',
): Promise<void> {
  const role = await roleIn(trx, ownerId, userId)
  assertThat(role, 'WORKSPACE_NOT_FOUND')
  const message = `Your role no longer permits this operation, which requires the role ${rolesFor(action).join(' or ')}.`
  assertThat(can(role, action), 'PERMISSION_DENIED', { message })
}

/** Whether it is the user's own, or the user is a member who may do this. Under the same lock. PERMISSION_DENIED (suspended). */
export async function isMember(trx: Transaction, ownerId: string, userId: string, action: Action): Promise<boolean> {
  const role = await roleIn(trx, ownerId, userId)
  return role !== undefined && can(role, action)
}

async function roleIn(trx: Transaction, ownerId: string, userId: string): Promise<Role | undefined> {
  await assertActiveUser(trx, userId)
  if (ownerId === userId) return 'owner'
  const living = trx('workspaces').where({ id: ownerId }).whereNull('deletedAt').select('id')
  const member: { role: Role } | undefined = await trx('members')
    .where({ userId })
    .whereIn('workspaceId', living)
    .first('role')
  return member?.role
}
