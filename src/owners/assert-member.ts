import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { can, rolesFor, type Action, type Role } from './roles.ts'
import { assertActiveUser } from './suspension.ts'

/**
 * Refuses former members (WORKSPACE_NOT_FOUND, also if the workspace was deleted), and members who are suspended or
 * whose role no longer allows the action (PERMISSION_DENIED). Call it with the paying user locked: members and
 * workspaces are removed under the same lock, so a user who is being removed cannot create anything.
 */
export async function assertMember(
  trx: Transaction,
  ownerId: string,
  userId: string,
  action: Action = 'see',
): Promise<void> {
  const role = await roleIn(trx, ownerId, userId)
  assertThat(role, 'WORKSPACE_NOT_FOUND')
  const message = `Your role no longer permits this operation, which requires the ${rolesFor(action).join(' or ')} role.`
  assertThat(can(role, action), 'PERMISSION_DENIED', { message })
}

/**
 * Whether the owner is the user, or a workspace where the user may do this. Needs the same lock. PERMISSION_DENIED
 * (suspended).
 */
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
