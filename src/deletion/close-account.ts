import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { endSessionsOf } from '../sessions/session.ts'
import { Login } from '../users/login.ts'
import type { Workspaces } from '../workspaces/workspaces.ts'
import { Workspace } from '../workspaces/workspace.ts'

/** What an account does before it goes: nobody is logged in any more, and its workspaces go first. */
export function createCloseAccount(context: {
  database: Database
  clock: Clock
  workspaces: Pick<Workspaces, 'remove'>
}) {
  const { database, clock, workspaces } = context

  return {
    /** Ends logins and sessions, and deletes the workspaces as their owner may. Safe to repeat. */
    async closeAccount(userId: string): Promise<void> {
      const now = clock.now()
      await Login.query(database).where({ userId }).whereNull('revokedAt').patch({ revokedAt: now })
      await endSessionsOf(database, userId, now)
      const own = await Workspace.query(database).where({ payerId: userId }).whereNull('deletedAt')
      for (const workspace of own) await workspaces.remove(workspace, userId)
    },

    /** The account pays for them, so it stays until they are gone. */
    async hasWorkspaces(userId: string): Promise<boolean> {
      return (await Workspace.query(database).where({ payerId: userId }).select('id').first()) !== undefined
    },
  }
}
