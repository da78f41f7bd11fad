import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { WorkspaceProvider } from './workspace-provider.ts'

/**
 * What a user is at an OpenID Connect provider (table `identities`): an issuer and a subject, and never an address. One
 * from a workspace's provider is known to that provider alone.
 */
export class Identity extends Row {
  static override tableName = 'identities'
  declare id: string
  declare userId: string
  /** Null for a provider of the installation. */
  declare workspaceProviderId: string | null
  /** The name of a provider of the installation, or the id of the workspace. */
  declare provider: string
  declare issuer: string
  declare subject: string
  declare linkedAt: Date
}

/** Unlinks what a user is at the provider of a workspace. */
export async function unlinkFrom(db: Database, match: { workspaceId: string; userId: string }): Promise<void> {
  const providers = WorkspaceProvider.query(db).where({ workspaceId: match.workspaceId }).select('id')
  await Identity.query(db).where({ userId: match.userId }).whereIn('workspaceProviderId', providers).delete()
}
