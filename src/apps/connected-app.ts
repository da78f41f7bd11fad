import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'
import type { AppScope } from './app-scopes.ts'

/**
 * An MCP client that a user let act at one owner (table `connected_apps`). It is the grant of the authorization server:
 * if its row goes, so do its codes and tokens.
 */
export class ConnectedApp extends Row {
  static override tableName = 'connected_apps'
  declare id: string
  declare userId: string
  /** null for the user's own things. */
  declare workspaceId: string | null
  declare createdAt: Date
  /** When its last token ends. The row is deleted afterwards. */
  declare expiresAt: Date
  /** Accurate to a minute. */
  declare lastUsedAt: Date | null
  /** A stranger's words: the client chose them. */
  declare name: string
  /** The id of a registered client, or the address of a client's metadata. */
  declare clientId: string
  declare redirectHost: string
  declare scopes: AppScope[]
}

/** Disconnects apps: from the commit on, their tokens fail with INVALID_TOKEN. */
export async function endApps(
  db: Database,
  match: { id: string } | { userId: string } | { workspaceId: string; userId?: string },
): Promise<void> {
  await ConnectedApp.query(db).where(match).delete()
}
