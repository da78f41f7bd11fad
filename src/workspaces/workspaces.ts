import { raw } from 'objection'
import { howToGetMore } from '../billing/allowances.ts'
import { lacksFeature } from '../billing/tiers.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { requestDeletion } from '../deletion/deletion.ts'
import { assertThat } from '../errors.ts'
import { endApps } from '../apps/connected-app.ts'
import { isId, newId } from '../ids.ts'
import { ownersIn, type Reach } from '../owners/reach.ts'
import type { Due } from '../runs/due.ts'
import { endSessions } from '../sessions/session.ts'
import { WorkspaceProvider } from '../sign-in/workspace-provider.ts'
import { ApiKey } from '../users/api-key.ts'
import { endLogins } from '../users/login.ts'
import { capacityFreed } from '../owners/capacity-freed.ts'
import { lockOwner } from '../users/user.ts'
import { createInvitations } from './invitations.ts'
import { Member } from './member.ts'
import { createMembers } from './members.ts'
import { assertMembershipLimit } from './assert-membership-limit.ts'
import { createTransfers } from './transfers.ts'
import { Workspace, type Connections } from './workspace.ts'

/** A workspace with its owner: itself. */
export type OwnedWorkspace = Workspace & { ownerId: string }

interface WorkspaceChanges {
  name?: string | undefined
  creditsPerMonth?: number | null | undefined
  connectionsOfLeavers?: Connections | undefined
}

/** Workspaces: owners whose agents and sites several people share. The workspace owner's account pays. */
export function createWorkspaces(
  context: Parameters<typeof createInvitations>[0] &
    Parameters<typeof createMembers>[0] &
    Parameters<typeof createTransfers>[0] & { due: Due },
) {
  const { database, clock, billing, due } = context
  const living = (db: Database | Transaction) => Workspace.query(db).whereNull('deletedAt')

  async function get({ places }: Reach, id: string): Promise<OwnedWorkspace> {
    const workspace = isId(id) && places.has(id) ? await living(database).findById(id) : undefined
    assertThat(workspace && workspace.id !== undefined, 'WORKSPACE_NOT_FOUND')
    return Object.assign(workspace, { ownerId: workspace.id })
  }

  /** Call it with the paying user locked. */
  async function assertWorkspaceLimit(trx: Transaction, userId: string): Promise<void> {
    const { limits, features, tier } = await billing.account(userId, trx)
    assertThat(features.includes('workspaces'), 'WORKSPACE_REQUIRED', { message: lacksFeature(tier, 'workspaces') })
    const count = await living(trx).where({ payerId: userId }).resultSize()
    const message = `You have reached your limit of ${limits.workspaces} workspaces. ${howToGetMore}`
    assertThat(count < limits.workspaces, 'FEATURE_LIMIT_REACHED', { message })
    await assertMembershipLimit(trx, userId)
  }

  return {
    ...createMembers(context),
    ...createInvitations(context),
    ...createTransfers(context),
    get,

    /** Creates a workspace. WORKSPACE_REQUIRED (the tier has none), FEATURE_LIMIT_REACHED. */
    create: (userId: string, { name }: { name: string }): Promise<OwnedWorkspace> =>
      database.transaction(async (trx) => {
        await lockOwner(trx, userId)
        await assertWorkspaceLimit(trx, userId)
        const [id, createdAt] = [newId(), clock.now()]
        await trx('owners').insert({ id, createdAt, kind: 'workspace' })
        await Workspace.query(trx).insert({ id, name, payerId: userId, createdAt })
        await Member.query(trx).insert({ id: newId(), workspaceId: id, userId, role: 'owner', joinedAt: createdAt })
        return Object.assign(await living(trx).findById(id).throwIfNotFound(), { ownerId: id })
      }),

    list: (reach: Reach, request: PageRequest): Promise<Page<Workspace>> =>
      page(living(database).whereIn('id', ownersIn(reach)), {
        list: 'workspaces',
        time: 'createdAt',
        arrival: raw(joinedStatement, [reach.home]),
        ...request,
      }),

    /**
     * Changes the name, the cap, or the setting for sites of leaving members. WORKSPACE_NOT_FOUND if it was deleted
     * meanwhile.
     */
    async update({ id }: Workspace, changes: WorkspaceChanges): Promise<OwnedWorkspace> {
      const { name, creditsPerMonth, connectionsOfLeavers } = changes
      const given = {
        ...(name !== undefined && { name }),
        ...(creditsPerMonth !== undefined && { creditsPerMonth }),
        ...(connectionsOfLeavers !== undefined && { connectionsOfLeavers }),
      }
      return database.transaction(async (trx) => {
        const isEmpty = Object.keys(given).length === 0
        const changed = await (isEmpty ? living(trx).findById(id) : living(trx).patchAndFetchById(id, given))
        assertThat(changed, 'WORKSPACE_NOT_FOUND')
        // Runs may have waited for a higher cap.
        await due.owner(trx, id)
        return Object.assign(changed, { ownerId: id })
      })
    },

    /**
     * Deletes the workspace for everyone immediately: keys and sessions end, and agents start nothing new. Its rows are
     * deleted in the background. PERMISSION_DENIED if the user no longer owns it.
     */
    remove: ({ id }: Workspace, userId: string): Promise<void> =>
      database.transaction(async (trx) => {
        await lockOwner(trx, id)
        const own = await Workspace.query(trx).findById(id).where({ payerId: userId })
        assertThat(own, 'PERMISSION_DENIED', {
          message: 'This workspace now has another owner. Only the owner can delete it.',
        })
        const now = clock.now()
        await living(trx).findById(id).patch({ deletedAt: now })
        await requestDeletion(trx, id, now)
        await ApiKey.query(trx).where({ workspaceId: id }).whereNull('revokedAt').patch({ revokedAt: now })
        await endApps(trx, { workspaceId: id })
        await WorkspaceProvider.query(trx).where({ workspaceId: id }).delete()
        await endLogins(trx, { workspaceId: id }, { now })
        await endSessions(trx, { ownerId: id }, now)
        await capacityFreed(trx, id, now)
      }),
  }
}

/** A user's list is ordered by when the user joined. An API key of the workspace has no membership. */
const joinedStatement = `
  coalesce((select m.arrival from members m where m.workspace_id = workspaces.id and m.user_id = ?), workspaces.arrival)`

export type Workspaces = ReturnType<typeof createWorkspaces>
