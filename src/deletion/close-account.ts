import { endApps } from '../apps/connected-app.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { endSessionsOf } from '../sessions/session.ts'
import { Login } from '../users/login.ts'
import type { Workspaces } from '../workspaces/workspaces.ts'
import { Workspace } from '../workspaces/workspace.ts'

/** The steps before an account is deleted: its logins end, and its workspaces are deleted. */
export function createCloseAccount(context: {
  database: Database
  clock: Clock
  workspaces: Pick<Workspaces, 'remove'>
}) {
  const { database, clock, workspaces } = context

  return {
    /** Ends logins and sessions, and deletes the user's workspaces. Safe to repeat. */
    async closeAccount(userId: string): Promise<void> {
      const now = clock.now()
      await Login.query(database).where({ userId }).whereNull('revokedAt').patch({ revokedAt: now })
      await endSessionsOf(database, userId, now)
      await endApps(database, { userId })
      const own = await Workspace.query(database).where({ payerId: userId }).whereNull('deletedAt')
      for (const workspace of own) await workspaces.remove(workspace, userId)
    },

    /** The account pays for its workspaces, so it stays until they are deleted. */
    async hasWorkspaces(userId: string): Promise<boolean> {
      return (await Workspace.query(database).where({ payerId: userId }).select('id').first()) !== undefined
    },
  }
}
