import { endApps } from '../apps/connected-app.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { idIn, page, type Page, type PageRequest } from '../database/paging.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import { can, type Role } from '../owners/roles.ts'
import { endSessions } from '../sessions/session.ts'
import { unlinkFrom } from '../sign-in/identity.ts'
import { ApiKey } from '../users/api-key.ts'
import { endLogins } from '../users/login.ts'
import { lockOwner } from '../users/user.ts'
import type { Vault } from '../vault/vault.ts'
import { Member, NamedMember } from './member.ts'
import { Workspace, type Connections } from './workspace.ts'

/** The members of workspaces. Changes hold the paying user's lock, under which keys and sessions are created. */
export function createMembers(context: {
  database: Database
  clock: Clock
  vault: Pick<Vault, 'removeConnectedBy' | 'flows'>
}) {
  const { database, clock, vault } = context

  /** Call it in the transaction that ends the membership, with the paying user locked. */
  async function removeConnections(trx: Transaction, left: Left, wanted?: Connections): Promise<void> {
    await vault.flows.endOf(trx, left)
    const { connectionsOfLeavers } = await Workspace.query(trx).findById(left.ownerId).throwIfNotFound()
    if ((wanted ?? connectionsOfLeavers) === 'remove') await vault.removeConnectedBy(trx, left)
  }

  const named = (db: Database | Transaction, workspaceId: string) =>
    NamedMember.query(db)
      .join('users', 'users.id', 'members.userId')
      .where({ workspaceId })
      .select('members.*', 'users.email')

  async function locked(trx: Transaction, workspaceId: string, userId: string): Promise<NamedMember> {
    await lockOwner(trx, workspaceId)
    const member = isId(userId) ? await named(trx, workspaceId).findOne({ userId }) : undefined
    assertThat(member, 'MEMBER_NOT_FOUND')
    return member
  }

  return {
    /** Newest members first. */
    members: (workspaceId: string, request: PageRequest): Promise<Page<NamedMember>> =>
      page(named(database, workspaceId), { list: 'members', key: idIn('members.id'), time: 'joinedAt', ...request }),

    /** undefined if the user is not a member. */
    member: async (workspaceId: string, userId: string): Promise<NamedMember | undefined> =>
      isId(userId) ? named(database, workspaceId).findOne({ userId }) : undefined,

    /** Changes a member's role. MEMBER_NOT_FOUND, ROLE_CHANGE_FORBIDDEN (the owner's role is fixed). */
    changeRole: (workspaceId: string, userId: string, role: Role): Promise<NamedMember> =>
      database.transaction(async (trx) => {
        const member = await locked(trx, workspaceId, userId)
        assertThat(member.role !== 'owner' && role !== 'owner', 'ROLE_CHANGE_FORBIDDEN')
        await Member.query(trx).findById(member.id).patch({ role })
        if (!can(role, 'use')) await endSessions(trx, { ownerId: workspaceId, userId }, clock.now())
        return member.$set({ role })
      }),

    /**
     * Ends a membership, and with it the member's keys, apps and sessions here, attempts to connect sites, and logins through
     * the workspace's provider. `connections`, or else the workspace's setting, decides about the sites that the member
     * connected. MEMBER_NOT_FOUND, ROLE_CHANGE_FORBIDDEN.
     */
    removeMember: (workspaceId: string, userId: string, connections?: Connections): Promise<void> =>
      database.transaction(async (trx) => {
        const member = await locked(trx, workspaceId, userId)
        const message = 'The owner cannot leave the workspace. Transfer or delete the workspace instead.'
        assertThat(member.role !== 'owner', 'ROLE_CHANGE_FORBIDDEN', { message })
        await Member.query(trx).deleteById(member.id)
        const now = clock.now()
        await ApiKey.query(trx).where({ workspaceId, userId }).whereNull('revokedAt').patch({ revokedAt: now })
        await endApps(trx, { workspaceId, userId })
        await unlinkFrom(trx, { workspaceId, userId })
        await endLogins(trx, { workspaceId, userId }, { now })
        await endSessions(trx, { ownerId: workspaceId, userId }, now)
        await removeConnections(trx, { ownerId: workspaceId, userId }, connections)
      }),
  }
}

/** The ended membership: the user and the workspace. */
interface Left {
  ownerId: string
  userId: string
}
